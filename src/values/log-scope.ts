import { AsyncLocalStorage } from 'node:async_hooks'

/** What the lines of the log say besides, for as long as a piece of work goes on. */
interface LogScope {
  /** Of the request that asked for the work, however long ago and in whichever process. */
  readonly requestId?: string
}

const NOTHING: LogScope = {}
const scopes = new AsyncLocalStorage<LogScope>()

/** Runs `work`, and everything that it starts, in a scope that replaces the one around it: a worker's job is not the request's that woke it. */
export const inLogScope = <Result>(scope: LogScope, work: () => Result): Result => scopes.run(scope, work)

/** The scope that the caller runs in. */
export const logScope = (): LogScope => scopes.getStore() ?? NOTHING
