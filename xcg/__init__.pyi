from .answer import Answer as Answer
from .campaign import Campaign as Campaign
from .campaign import evaluate as evaluate
from .campaign import load as load
from .documents.corpus import Corpus as Corpus
from .documents.parsing import parse_document as parse_document
from .documents.tree import ElementTree as ElementTree
from .errors import InputError as InputError
from .errors import UnmappedError as UnmappedError
from .errors import XcgError as XcgError
from .evaluation.results import Results as Results
from .formats.base import read_assessments as read_assessments
from .formats.base import read_run as read_run
from .judgements.assessment import Assessment as Assessment
from .judgements.recall_base import RecallBase as RecallBase
from .measures import MEASURES as MEASURES
from .runs.run import Run as Run
from .statistics.significance import Comparison as Comparison
from .strategies.registry import rewrite as rewrite
from .user_model.model import UserModel as UserModel

__version__: str
