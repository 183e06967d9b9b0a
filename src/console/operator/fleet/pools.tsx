import { at } from '../../api/base.ts'
import type { PoolRowFragment } from '../../operations.ts'
import { count } from '../../parts/format.ts'
import { Moment } from '../../parts/moment.tsx'

/** Each queue: how deep it is, and what takes from it. */
export const Pools = ({ pools }: { pools: readonly PoolRowFragment[] }) => (
  <section class="card">
    <div class="card-head">
      <h2>Queues</h2>
      <p>Jobs wait in a pool until a worker takes them</p>
    </div>
    {pools.length === 0 ? (
      <p class="card-body muted">No endpoint is published, so no queue is there yet.</p>
    ) : (
      <div class="table-box as-cards">
        <table aria-label="Pools">
          <thead>
            <tr>
              <th>Pool</th>
              <th>Workers</th>
              <th class="end">Waiting</th>
              <th>Oldest job waits since</th>
              <th>Slots in use</th>
            </tr>
          </thead>
          <tbody>
            {pools.map((pool) => (
              <PoolLine key={pool.name} pool={pool} />
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)

const PoolLine = ({ pool }: { pool: PoolRowFragment }) => (
  <tr>
    <th scope="row" class="pool-cell">
      <span>
        <strong>{pool.name}</strong>
        <span class="pool-engine">{engineOf(pool)}</span>
      </span>
    </th>
    <td data-label="Workers">
      <WorkersOf pool={pool} />
    </td>
    <td class="end" data-label="Waiting">
      {pool.waiting > 0 ? <strong>{count(pool.waiting)}</strong> : <span class="faint">0</span>}
    </td>
    <td data-label="Oldest">
      <Moment at={pool.oldestWaitingSince} />
    </td>
    <td class="slots-cell" data-label="Slots">
      <span class="slots">
        <meter
          min={0}
          max={Math.max(1, pool.slots)}
          value={Math.min(pool.processing, pool.slots)}
          aria-label={`Slots in use of ${pool.name}`}
        />
        <span class="figure">
          {count(pool.processing)} / {count(pool.slots)}
        </span>
      </span>
    </td>
  </tr>
)

const WorkersOf = ({ pool }: { pool: PoolRowFragment }) =>
  pool.workers > 0 ? (
    <a
      href={at(`/operator/workers?pool=${encodeURIComponent(pool.name)}`)}
      aria-label={`${count(pool.workers)} ${pool.workers === 1 ? 'worker' : 'workers'} of ${pool.name}`}
    >
      {count(pool.workers)}
    </a>
  ) : (
    <span class={pool.waiting > 0 ? 'pill bad' : 'pill warn'}>no worker serves it</span>
  )

/** As a pool says it: each worker has one of its own. */
const OWNED_SERVER = 'worker'

/** Where what works on a pool's jobs is, and how much of it goes on at once. */
function engineOf({ server, maxInFlight }: PoolRowFragment): string {
  if (server == null) return 'engine inside the workers'
  const places = server.split(', ').map((place) => (place === OWNED_SERVER ? "each worker's own server" : place))
  return `${places.join(', ')} · at most ${count(maxInFlight ?? 0)} at once`
}
