import { now } from '../../api/clock.ts'
import type { PoolRowFragment, WorkerRowFragment } from '../../operations.ts'
import { Tile } from '../../overview/tile.tsx'
import { count, duration } from '../../parts/format.ts'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { OperatorScreen } from '../operator-screen.tsx'
import { cardsOf } from './cards.ts'
import { Causes } from './causes.tsx'
import { Followed } from './followed.tsx'
import { GraphicsCards } from './graphics-cards.tsx'
import { Pools } from './pools.tsx'
import { UnservedPools } from './unserved-pools.tsx'
import { useFleet } from './use-fleet.ts'
import { Workers } from './workers.tsx'

/** Follows the waiting jobs, the workers on them and idle graphics cards, and shows the true causes of failures. */
export function FleetPage() {
  const query = useFleet()
  return (
    <OperatorScreen title="Operator" tab="">
      <Load query={query} skeleton={<SkeletonRows rows={8} />}>
        {({ pools, workers }) => (
          <Followed>
            <UnservedPools pools={pools} />
            <FleetTiles pools={pools} workers={workers} />
            <div class="cards">
              <Pools pools={pools} />
              <GraphicsCards cards={cardsOf(workers)} />
              <Workers workers={workers} />
            </div>
          </Followed>
        )}
      </Load>
      <Causes />
    </OperatorScreen>
  )
}

interface FleetTilesProps {
  readonly pools: readonly PoolRowFragment[]
  readonly workers: readonly WorkerRowFragment[]
}

function FleetTiles({ pools, workers }: FleetTilesProps) {
  const sum = (of: (pool: PoolRowFragment) => number): number => pools.reduce((total, pool) => total + of(pool), 0)
  const living = workers.filter(({ silent }) => !silent)
  const cards = cardsOf(workers)
  const oldest = oldestWait(pools)
  return (
    <div class="tiles">
      <Tile
        name="Waiting"
        value={count(sum(({ waiting }) => waiting))}
        note={oldest === null ? 'nothing waits for a worker' : `the oldest for ${duration(oldest)}`}
      />
      <Tile
        name="Running"
        value={count(sum(({ processing }) => processing))}
        note={`of ${count(living.reduce((total, { slots }) => total + slots, 0))} slots`}
      />
      <Tile
        name="Workers"
        value={count(living.length)}
        note={
          living.length === workers.length ? 'all are heard from' : `${count(workers.length - living.length)} silent`
        }
      />
      <Tile
        name="Idle graphics cards"
        value={cards.length === 0 ? '–' : count(cards.filter(({ state }) => state === 'idle').length)}
        note={cards.length === 0 ? 'engines run on processors' : `of ${count(cards.length)}`}
      />
    </div>
  )
}

function oldestWait(pools: readonly PoolRowFragment[]): number | null {
  const since = pools.flatMap(({ oldestWaitingSince }) => (oldestWaitingSince ? [Date.parse(oldestWaitingSince)] : []))
  return since.length === 0 ? null : now.value - Math.min(...since)
}
