import { EngineError } from './engine.ts'

/** A `base_url` that stands for the server of the worker which takes the job. */
export const OWNED_SERVER = 'worker'

export interface OwnedServer {
  /** @throws if the server does not answer now or is none of this worker, so that the job is released */
  url(): string
  /** The server's output is kept without these texts. */
  noteSent(texts: readonly string[]): void
}

/** By then the worker knows whether its server has ended. */
export const OWNED_RETRY_SECONDS = 5

export const NO_OWNED_SERVER: OwnedServer = {
  url: () => {
    throw new EngineError('INTERNAL_ERROR', 'base_url: worker is the server of a worker started with --server FILE.')
  },
  noteSent: () => undefined,
}

/** @throws if the worker's own server does not answer */
export const addressOf = (baseUrl: string, owned: OwnedServer): string =>
  baseUrl === OWNED_SERVER ? owned.url() : baseUrl
