import type { WorkerRowFragment } from '../../operations.ts'

type Gpu = WorkerRowFragment['gpus'][number]

export interface Card extends Gpu {
  /** Unique among the cards. */
  readonly key: string
  readonly host: string
  readonly pools: readonly string[]
  readonly state: 'idle' | 'busy' | 'silent'
}

/** A driver reports a per cent or two for a card that only shows its desktop. */
const IDLE_PERCENT = 5
const RANKS = { idle: 0, busy: 1, silent: 2 } as const

/** The graphics cards of all workers, idle ones first, each once: workers of one machine see the same cards. */
export function cardsOf(workers: readonly WorkerRowFragment[]): readonly Card[] {
  const living = workers.toSorted((a, b) => Number(a.silent) - Number(b.silent))
  const cards = new Map<string, Card>()
  for (const worker of living) {
    for (const [index, gpu] of worker.gpus.entries()) {
      const key = `${worker.host} ${index}`
      const known = cards.get(key)
      if (known !== undefined && worker.silent) continue
      const pools = [...new Set([...(known?.pools ?? []), ...worker.pools])]
      const isBusy = known?.state === 'busy' || isAtWork(worker, gpu)
      const state = worker.silent ? 'silent' : isBusy ? 'busy' : 'idle'
      cards.set(key, { ...gpu, key, host: worker.host, pools, state })
    }
  }
  return [...cards.values()].toSorted((a, b) => RANKS[a.state] - RANKS[b.state] || a.key.localeCompare(b.key, 'en'))
}

/** Where the driver does not tell, a worker that runs jobs keeps its cards busy. */
const isAtWork = ({ inFlight }: WorkerRowFragment, { loadPercent }: Gpu): boolean =>
  loadPercent == null ? inFlight > 0 : loadPercent >= IDLE_PERCENT
