import type { Parts } from '../../context/context.ts'
import { describeError } from '../../errors/describe-error.ts'
import { OPEN_FOR } from './text-state.ts'

const KEEP_EVERY_MS = 20_000

/** A row that is locked is written or ended at this moment, so nothing waits for it. */
const KEEP = `
with mine as materialized (
  select id from job
  where id = any($1) and status in ('queued', 'processing') and options ? 'open' for no key update skip locked
)
update job set open_until = now() + ${OPEN_FOR} from mine where job.id = any($1) and job.id = mine.id`

/** Keeps the texts that callers of this process write open, all in one statement. A worker would wait a minute only for more. */
export class KeptTexts {
  readonly #parts: Pick<Parts, 'db' | 'log'>
  readonly #everyMs: number
  readonly #jobIds = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(parts: Pick<Parts, 'db' | 'log'>, everyMs = KEEP_EVERY_MS) {
    this.#parts = parts
    this.#everyMs = everyMs
  }

  add(jobId: string): void {
    this.#jobIds.add(jobId)
    this.#timer ??= setInterval(() => void this.#keep(), this.#everyMs)
  }

  remove(jobId: string): void {
    this.#jobIds.delete(jobId)
    if (this.#jobIds.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #keep(): Promise<void> {
    const { db, log } = this.#parts
    const query = { name: 'keep_texts', text: KEEP, values: [[...this.#jobIds]] }
    await db.pool
      .query(query)
      .catch((error: unknown) => log.warn(describeError(error), 'open texts could not be kept open'))
  }
}
