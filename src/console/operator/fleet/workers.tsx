import { at } from '../../api/base.ts'
import { now } from '../../api/clock.ts'
import type { WorkerRowFragment } from '../../operations.ts'
import { count, duration } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { Moment } from '../../parts/moment.tsx'
import { serviceCommand } from '../../parts/service-command.ts'
import { StateMark } from '../../parts/state-mark.tsx'

export const Workers = ({ workers }: { workers: readonly WorkerRowFragment[] }) => (
  <section class="card">
    <div class="card-head">
      <h2>Workers</h2>
      <p>A worker that is silent for five seconds loses its jobs to others</p>
      <a href={at('/operator/workers')}>All that is known of them</a>
    </div>
    {workers.length === 0 ? (
      <p class="notice warn inset">
        <Icon name="alert" /> No worker is running: jobs wait. Start one with {serviceCommand('work')}.
      </p>
    ) : (
      <WorkersTable workers={workers} />
    )}
  </section>
)

interface WorkersTableProps {
  readonly workers: readonly WorkerRowFragment[]
  /** They have a screen of their own: with all that is known of them. */
  readonly isWhole?: boolean
}

export const WorkersTable = ({ workers, isWhole = false }: WorkersTableProps) => (
  <div class="table-box as-cards">
    <table aria-label="Workers">
      <thead>
        <tr>
          <th>Host</th>
          <th>State</th>
          <th>Pools</th>
          {isWhole && <th>Last heard</th>}
          {isWhole && <th>Requests</th>}
          <th class="end">Graphics cards</th>
          <th class="end">Busy</th>
          <th class="end">Up for</th>
        </tr>
      </thead>
      <tbody>
        {workers.toSorted(byHost).map((worker) => (
          <WorkerLine key={worker.id} {...{ worker, isWhole }} />
        ))}
      </tbody>
    </table>
  </div>
)

/** The service names those heard from last first, which would move the rows about. */
const byHost = (one: WorkerRowFragment, other: WorkerRowFragment): number =>
  `${one.host} ${one.id}` < `${other.host} ${other.id}` ? -1 : 1

const WorkerLine = ({ worker, isWhole }: { worker: WorkerRowFragment; isWhole: boolean }) => (
  <tr>
    <th scope="row">
      <span>
        <strong class="clip-cell" title={worker.host}>
          {worker.host}
        </strong>{' '}
        <span class="faint small-text">{worker.version}</span>
      </span>
    </th>
    <td>
      <WorkerState worker={worker} />
    </td>
    <td class="wrap">{worker.pools.join(', ')}</td>
    {isWhole && (
      <td data-label="Last heard">
        <Moment at={worker.heartbeatAt} />
      </td>
    )}
    {isWhole && (
      <td class="wrap-anywhere" data-label="Requests">
        <Permits permits={worker.permits} />
      </td>
    )}
    <td class="end phone-none">
      {worker.gpus.length === 0 ? <span class="faint">none</span> : count(worker.gpus.length)}
    </td>
    <td class="end" data-label="Busy">
      {worker.inFlight} / {worker.slots}
    </td>
    <td class="end phone-none">{duration(now.value - Date.parse(worker.startedAt))}</td>
  </tr>
)

/** How many requests it may have open, by their servers. */
const Permits = ({ permits }: Pick<WorkerRowFragment, 'permits'>) =>
  permits.length === 0 ? (
    <span class="faint">none</span>
  ) : (
    <span>{permits.map(({ server, requests }) => `${count(requests)} at ${server}`).join(', ')}</span>
  )

/** A server of its own that restarts or fails is said with its reason. */
function WorkerState({ worker: { silent, heartbeatAt, server } }: { worker: WorkerRowFragment }) {
  if (silent) return <span class="pill warn">silent for {duration(now.value - Date.parse(heartbeatAt))}</span>
  if (!server) return <StateMark state="READY" />
  return (
    <span title={server.error ?? undefined}>
      <StateMark state={server.state} />
      {server.restarts > 0 && <span class="faint small-text"> restarted {count(server.restarts)} times</span>}
    </span>
  )
}
