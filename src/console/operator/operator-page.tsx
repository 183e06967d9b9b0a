import { useEffect } from 'preact/hooks'
import { useQuery } from '../api/use-query.ts'
import { type MachinesQuery, machines } from '../operations.ts'
import { count, duration, sentence } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { now } from '../parts/now.ts'
import { Page } from '../parts/page.tsx'
import { ShortId } from '../parts/short-id.tsx'
import { StateMark } from '../parts/state-mark.tsx'
import { Accounts } from './accounts.tsx'

/** After so long without a heartbeat the jobs of a worker go to others. */
const SILENT_MS = 5000
const LOOK_EVERY_MS = 5000

/** For operators: which workers and graphics cards serve, why jobs really failed, and the accounts. */
export function OperatorPage() {
  const query = useQuery(machines, {})
  useEffect(() => {
    const timer = setInterval(() => document.hidden || query.reload(), LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <Page title="Operator">
      <Load query={query} skeleton={<SkeletonRows rows={5} />}>
        {({ workers, failureCauses }) => (
          <div class="cards">
            <Workers workers={workers} />
            <Causes causes={failureCauses} />
          </div>
        )}
      </Load>
      <Accounts />
    </Page>
  )
}

type Worker = MachinesQuery['workers'][number]

const Workers = ({ workers }: { workers: readonly Worker[] }) => (
  <section class="card">
    <div class="card-head">
      <h2>Workers</h2>
      <p>
        {count(workers.reduce((sum, { inFlight }) => sum + inFlight, 0))} of{' '}
        {count(workers.reduce((sum, { slots }) => sum + slots, 0))} slots busy
      </p>
    </div>
    {workers.length === 0 ? (
      <p class="notice warn card-body">
        <Icon name="alert" /> No worker is running: jobs wait. Start one with npx sonant work.
      </p>
    ) : (
      <div class="table-box as-cards">
        <table>
          <thead>
            <tr>
              <th>Host</th>
              <th>State</th>
              <th>Pools</th>
              <th>Graphics cards</th>
              <th class="end">Busy</th>
              <th class="end">Up for</th>
            </tr>
          </thead>
          <tbody>
            {workers.map((worker) => (
              <WorkerRow key={worker.id} worker={worker} />
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)

const WorkerRow = ({ worker }: { worker: Worker }) => {
  const isSilent = now.value - Date.parse(worker.heartbeatAt) > SILENT_MS + LOOK_EVERY_MS
  return (
    <tr>
      <td>
        <strong>{worker.host}</strong> <span class="faint small-text">{worker.version}</span>
      </td>
      <td>
        {isSilent ? <span class="pill warn">silent</span> : <StateMark state={worker.server?.state ?? 'READY'} />}
      </td>
      <td class="wrap">{worker.pools.join(', ')}</td>
      <td class="wrap">
        {worker.gpus.length === 0 ? (
          <span class="faint">none</span>
        ) : (
          worker.gpus.map(({ name, loadPercent }) => `${name} ${loadPercent ?? '–'} %`).join(', ')
        )}
      </td>
      <td class="end" data-label="Busy">
        {worker.inFlight} / {worker.slots}
      </td>
      <td class="end phone-none">{duration(now.value - Date.parse(worker.startedAt))}</td>
    </tr>
  )
}

const Causes = ({ causes }: { causes: MachinesQuery['failureCauses'] }) => (
  <section class="card">
    <div class="card-head">
      <h2>Why jobs failed, last 24 h</h2>
      <p>With the true causes, which callers do not see</p>
    </div>
    {causes.length === 0 ? (
      <p class="card-body muted">No job failed.</p>
    ) : (
      <div class="table-box as-cards">
        <table>
          <thead>
            <tr>
              <th>Code</th>
              <th>Cause</th>
              <th>Endpoint</th>
              <th class="end">Jobs</th>
              <th>Newest</th>
            </tr>
          </thead>
          <tbody>
            {causes.map(({ errorCode, cause, endpointKey, jobs, lastJobId }) => (
              <tr key={`${errorCode} ${cause} ${endpointKey}`}>
                <td>{sentence(errorCode)}</td>
                <td class="wrap">{cause ?? <span class="faint">none kept</span>}</td>
                <td>{endpointKey}</td>
                <td class="end">{count(jobs)}</td>
                <td>
                  <ShortId id={lastJobId} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)
