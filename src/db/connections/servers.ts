import type { Client, ClientConfig } from 'pg'
import { isReadOnly, ReadOnlyServer, watchParameters } from './read-only.ts'
import { SESSION_DEFAULTS, SessionClient } from './session-client.ts'

const CONNECT_TIMEOUT_MS = 10_000
/** A peer that is gone without a word is noticed within half a minute, where no statement is on its way. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }

/** The servers that may hold the database, one of which takes writes. */
export class Servers {
  readonly #urls: readonly string[]
  #preferred = 0
  #open = 0

  /** @param urls as the driver reads them; at least one */
  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  get count(): number {
    return this.#urls.length
  }

  /** The one that took writes last. */
  get preferred(): string {
    return this.#urls[this.#preferred] as string
  }

  /** Connections of their own that have not ended: see `connect`. */
  get open(): number {
    return this.#open
  }

  /** Prefers the next one to a server that cannot be reached, or takes no writes. */
  reject(url: string): void {
    if (url === this.preferred) this.#preferred = (this.#preferred + 1) % this.#urls.length
  }

  /**
   * A connection of its own to the server that takes writes. What becomes of it later is the caller's to watch; that it is lost fails what
   * runs on it, and ends no process.
   * @param refused takes what each server said that is not the one
   * @throws what the last of the servers said, ReadOnlyServer among it
   */
  async connect(config: ClientConfig, refused: (error: Error) => void = () => undefined): Promise<Client> {
    for (let left = this.count; ; left--) {
      const url = this.preferred
      try {
        return this.#counted(await connectTo(url, config))
      } catch (error) {
        this.reject(url)
        refused(error as Error)
        if (left === 1) throw error
      }
    }
  }

  #counted(client: Client): Client {
    this.#open++
    client.once('end', () => this.#open--)
    return client
  }
}

async function connectTo(connectionString: string, config: ClientConfig): Promise<Client> {
  const timed = { ...KEEP_ALIVE, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, ...config, connectionString }
  const client = new SessionClient(timed)
  client.on('error', () => undefined)
  const parameters = watchParameters(client)
  await client.connect()
  try {
    if (await isReadOnly(client, parameters)) throw new ReadOnlyServer()
    await client.query(SESSION_DEFAULTS)
    return client
  } catch (error) {
    void client.end()
    throw error
  }
}
