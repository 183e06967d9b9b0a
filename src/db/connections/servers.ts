import type { Client, ClientConfig } from 'pg'
import { isReadOnly, ReadOnlyServer, watchParameters } from './read-only.ts'
import { SESSION_DEFAULTS, SessionClient } from './session-client.ts'

const CONNECT_TIMEOUT_MS = 10_000
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }

/** The servers of a database; prefers the one that last took writes. */
export class Servers {
  readonly #urls: readonly string[]
  #preferred = 0
  #open = 0

  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  get count(): number {
    return this.#urls.length
  }

  get preferred(): string {
    return this.#urls[this.#preferred] as string
  }

  get open(): number {
    return this.#open
  }

  reject(url: string): void {
    if (url === this.preferred) this.#preferred = (this.#preferred + 1) % this.#urls.length
  }

  /**
   * Opens a connection to the server that takes writes; its loss never ends the process.
   * @param refused receives the error of each other server
   * @throws the last server's error, such as ReadOnlyServer
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
