/* Send changes to the server. */

export const TIMEOUT = 20_000;

/** Send a record as JSON; return whether it was accepted, the status and the answer. */
export async function post(url, record) {
  const headers = { "Content-Type": "application/json" };
  const [body, signal] = [JSON.stringify(record), AbortSignal.timeout(TIMEOUT)];
  try {
    const response = await fetch(url, { method: "POST", headers, body, signal });
    return { ok: response.ok, status: response.status, answer: await response.json() };
  } catch {
    return { ok: false, status: 0, answer: { error: "the server does not answer" } };
  }
}
