import type { PgBoss } from 'pg-boss'

const POLL_MS = 500

/** An ordered subquery per queue uses the index despite old statistics. */
const DUE = `
  select queue from unnest($1::text[]) as queue
  where (
    select true from pgboss.job_common j
    where j.name = queue and j.state < 'active' and not j.blocked and j.start_after <= now()
    order by j.name, j.group_tier limit 1)`

export interface Watcher {
  onDue(): void
  isDue(): boolean
}

/** Finds jobs that no notification announced, such as retries. */
export class DuePoll {
  readonly #boss: () => Promise<PgBoss>
  readonly #watchers = new Set<Watcher & { readonly queue: string }>()
  #timer: NodeJS.Timeout | undefined
  #isAsking = false

  constructor(boss: () => Promise<PgBoss>) {
    this.#boss = boss
  }

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
    // A claim reports the error.
    const due = await this.#due([...queues]).catch(() => queues)
    this.#isAsking = false
    for (const { queue, onDue, isDue } of this.#watchers) if (due.has(queue) || isDue()) onDue()
  }

  async #due(queues: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await (await this.#boss()).getDb().executeSql(DUE, [queues])
    return new Set(rows.map(({ queue }: { readonly queue: string }) => queue))
  }
}
