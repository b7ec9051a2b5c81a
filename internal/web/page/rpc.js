// Calls to the server. The token lives in the session of this tab, and travels in a header alone.

const KEY = "openhuman.token";
let last = 0;

export const signedIn = () => sessionStorage.getItem(KEY) !== null;
export const signIn = (token) => sessionStorage.setItem(KEY, token);
export const signOut = () => sessionStorage.removeItem(KEY);

// A Failure is what a call ended with instead of a result.
export class Failure extends Error {
  constructor(message, hint, status) {
    super(message);
    this.hint = hint;
    this.status = status;
  }
}

async function post(body, signal) {
  let res;
  try {
    res = await fetch("rpc", {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: "Bearer " + sessionStorage.getItem(KEY) },
      body: JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
      signal,
    });
  } catch (err) {
    if (err.name === "AbortError") throw err;
    throw new Failure("unreachable", "", 0);
  }
  let answer;
  try {
    answer = await res.json();
  } catch {
    throw new Failure("HTTP " + res.status, "", res.status);
  }
  if (!res.ok) throw new Failure(answer?.error?.message ?? "HTTP " + res.status, answer?.error?.data?.hint, res.status);
  return answer;
}

const result = (answer) => {
  if (answer.error) throw new Failure(answer.error.message, answer.error.data?.hint, 200);
  return answer.result;
};

// call runs one method and returns its result.
export async function call(method, params = {}, signal) {
  return result(await post({ jsonrpc: "2.0", id: ++last, method: "openhuman." + method, params }, signal));
}

// calls runs several methods in one request. It fails when one of them does.
export async function calls(list, signal) {
  const from = last + 1;
  const body = list.map(([method, params = {}]) => ({ jsonrpc: "2.0", id: ++last, method: "openhuman." + method, params }));
  const answers = await post(body, signal);
  if (!Array.isArray(answers)) return [result(answers)];
  const by = new Map(answers.map((a) => [a.id, a]));
  return list.map((_, i) => result(by.get(from + i)));
}
