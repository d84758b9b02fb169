from .documents.corpus import Corpus as Corpus
from .documents.parsing import parse_document as parse_document
from .documents.tree import ElementTree as ElementTree
from .errors import InputError as InputError
from .errors import UnmappedError as UnmappedError
from .errors import XcgError as XcgError
from .evaluation.chunk_comparison import ChunkComparison as ChunkComparison
from .evaluation.chunks import compare_chunks as compare_chunks
from .evaluation.curves import curves as curves
from .evaluation.evaluate import evaluate as evaluate
from .evaluation.explain import explain as explain
from .evaluation.gold_improvement import review_gold as review_gold
from .evaluation.gold_review import GoldReview as GoldReview
from .evaluation.ideals import ideal_elements as ideal_elements
from .evaluation.results import Results as Results
from .formats.base import read_assessments as read_assessments
from .formats.base import read_run as read_run
from .formats.base import read_runs as read_runs
from .judgements.assessment import Assessment as Assessment
from .judgements.recall_base import RecallBase as RecallBase
from .measures import MEASURES as MEASURES
from .runs.run import Run as Run
from .statistics.significance import Comparison as Comparison
from .statistics.significance import compare as compare
from .strategies.rewriting import rewrite as rewrite
from .user_model.model import UserModel as UserModel

__version__: str
