import type { PgBoss } from 'pg-boss'

const POLL_MS = 500

/** One subquery for each queue, ordered by the first columns of its index: with old statistics the planner would otherwise read the whole table. */
const DUE = `
  select queue from unnest($1::text[]) as queue
  where (
    select true from pgboss.job_common j
    where j.name = queue and j.state < 'active' and not j.blocked and j.start_after <= now()
    order by j.name, j.group_tier limit 1)`

/** What fetches from a queue once it is woken. */
export interface Watcher {
  /** Called while anything in the queue may be taken, where that cannot be asked, and where `isDue` says so. */
  onDue(): void
  isDue(): boolean
}

/**
 * Finds what no wake-up announced: retries, a dead worker's jobs, jobs queued while the listener was away. Twice a second one statement asks
 * for all queues of this process where anything may be taken: a claim costs several times as much, and most of the time there is nothing.
 */
export class DuePoll {
  readonly #boss: () => Promise<PgBoss>
  readonly #watchers = new Set<Watcher & { readonly queue: string }>()
  #timer: NodeJS.Timeout | undefined
  #isAsking = false

  constructor(boss: () => Promise<PgBoss>) {
    this.#boss = boss
  }

  /** Returns what ends it. */
  watch(queue: string, { onDue, isDue }: Watcher): () => void {
    const watcher = { queue, onDue, isDue }
    this.#watchers.add(watcher)
    this.#timer ??= setInterval(() => void this.#ask(), POLL_MS)
    return () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    const queues = new Set([...this.#watchers].map(({ queue }) => queue))
    // Claims say themselves what is wrong.
    const due = await this.#due([...queues]).catch(() => queues)
    this.#isAsking = false
    for (const { queue, onDue, isDue } of this.#watchers) if (due.has(queue) || isDue()) onDue()
  }

  async #due(queues: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await (await this.#boss()).getDb().executeSql(DUE, [queues])
    return new Set(rows.map(({ queue }: { readonly queue: string }) => queue))
  }
}
