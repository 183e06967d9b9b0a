import { AsyncLocalStorage } from 'node:async_hooks'

interface LogScope {
  readonly requestId?: string
}

const NOTHING: LogScope = {}
const scopes = new AsyncLocalStorage<LogScope>()

/** Runs `work` in a scope that replaces the outer one: a job is not part of the request that woke its worker. */
export const inLogScope = <Result>(scope: LogScope, work: () => Result): Result => scopes.run(scope, work)

export const logScope = (): LogScope => scopes.getStore() ?? NOTHING
