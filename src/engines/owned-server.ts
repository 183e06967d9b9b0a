import { EngineError } from './engine.ts'

/** What an engine block has for `base_url` whose server is that of the worker which takes the job. */
export const OWNED_SERVER = 'worker'

/** The server that this worker owns. */
export interface OwnedServer {
  /** Where it answers. @throws where it does not now, or there is none here: the job is to be released */
  url(): string
  /** These texts go to it: they are left out of what is kept of its output. */
  noteSent(texts: readonly string[]): void
}

/** A request whose connection broke is tried again for this long at least: by then the worker knows whether its server is gone. */
export const OWNED_RETRY_SECONDS = 5

/** For processes that take no jobs. */
export const NO_OWNED_SERVER: OwnedServer = {
  url: () => {
    throw new EngineError('INTERNAL_ERROR', 'base_url: worker is the server of a worker started with --server FILE.')
  },
  noteSent: () => undefined,
}

/** Where a server answers now. @throws where it is the worker's own and does not */
export const addressOf = (baseUrl: string, owned: OwnedServer): string =>
  baseUrl === OWNED_SERVER ? owned.url() : baseUrl
