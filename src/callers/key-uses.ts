import type { Parts } from '../context/context.ts'

/** What is noted within this time goes in one statement. */
const GATHER_MS = 500

const NOTE = {
  name: 'note_key_use',
  text: `update api_key set last_used_at = now()
         where id = any($1) and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
}

/**
 * Notes when keys were last used: at most one write for a key and minute, over all processes, in statements that no request waits for. What
 * a process that ends has not written yet is lost, as is what the database does not take: the next use is noted again.
 */
export class KeyUses {
  readonly #parts: Pick<Parts, 'db' | 'log'>
  /** Of these the database does not know yet. */
  readonly #due = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(parts: Pick<Parts, 'db' | 'log'>) {
    this.#parts = parts
  }

  /** To be called where the key's row says that its last use was noted a minute ago or more. */
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
    // Only now: while it was under way, every request still read the old time.
    for (const id of ids) this.#due.delete(id)
    this.#timer = this.#due.size > 0 ? setTimeout(() => void this.#write(), GATHER_MS).unref() : undefined
  }

  close(): void {
    clearTimeout(this.#timer)
  }
}
