import type { Parts } from '../context/context.ts'

const GATHER_MS = 500

const NOTE = {
  name: 'note_key_use',
  text: `update api_key set last_used_at = now()
         where id = any($1) and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
}

/** Records uses once a minute per key; no request waits. A crash loses unwritten uses. */
export class KeyUses {
  readonly #parts: Pick<Parts, 'db' | 'log'>
  readonly #due = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(parts: Pick<Parts, 'db' | 'log'>) {
    this.#parts = parts
  }

  note(apiKeyId: string): void {
    this.#due.add(apiKeyId)
    this.#timer ??= setTimeout(() => void this.#write(), GATHER_MS).unref()
  }

  async #write(): Promise<void> {
    const ids = [...this.#due]
    try {
      await this.#parts.db.pool.query({ ...NOTE, values: [ids] })
    } catch (error) {
      this.#parts.log.debug({ err: String(error) }, 'the use of keys could not be noted')
    }
    // Until now, requests still read the old time.
    for (const id of ids) this.#due.delete(id)
    this.#timer = this.#due.size > 0 ? setTimeout(() => void this.#write(), GATHER_MS).unref() : undefined
  }

  close(): void {
    clearTimeout(this.#timer)
  }
}
