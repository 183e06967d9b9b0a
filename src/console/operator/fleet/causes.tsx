import { useEffect } from 'preact/hooks'
import { at } from '../../api/base.ts'
import { now } from '../../api/clock.ts'
import { useQuery } from '../../api/use-query.ts'
import { type FailureCausesQuery, failureCauses as failureCausesQuery } from '../../operations.ts'
import { count, sentence } from '../../parts/format.ts'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { ShortId } from '../../parts/short-id.tsx'

/** They are of a day, and dear to count. */
const COUNTED_MS = 60_000

/** How jobs of all accounts failed within a day, with what their callers do not see; counted anew as time goes on. */
export function Causes() {
  const query = useQuery(failureCausesQuery, {})
  const tick = Math.floor(now.value / COUNTED_MS)
  useEffect(() => {
    if (query.data !== null) query.reload()
  }, [tick])
  return (
    <section class="card">
      <div class="card-head">
        <h2>Why jobs failed, last 24 h</h2>
        <a href={at('/operator/failures')}>With their trend</a>
      </div>
      <Load query={query} skeleton={<SkeletonRows rows={3} />}>
        {({ failureCauses }) =>
          failureCauses.length === 0 ? (
            <p class="card-body muted">No job failed.</p>
          ) : (
            <CausesTable causes={failureCauses} />
          )
        }
      </Load>
    </section>
  )
}

const CausesTable = ({ causes }: { causes: FailureCausesQuery['failureCauses'] }) => (
  <div class="table-box as-cards">
    <table aria-label="Causes of failures">
      <thead>
        <tr>
          <th>Error</th>
          <th>Cause</th>
          <th>Endpoint</th>
          <th class="end">Jobs</th>
          <th>Newest</th>
        </tr>
      </thead>
      <tbody>
        {causes.map(({ errorCode, cause, endpointKey, jobs, lastJobId }) => (
          <tr key={`${errorCode} ${cause} ${endpointKey}`}>
            <th scope="row">
              <a href={at(`/operator/jobs?error=${errorCode.toLowerCase()}&window=24h`)}>{sentence(errorCode)}</a>
            </th>
            <td class="wrap">{cause ?? <span class="faint">none recorded</span>}</td>
            <td>{endpointKey}</td>
            <td class="end" data-label="Jobs">
              {count(jobs)}
            </td>
            <td>
              <ShortId id={lastJobId} href={at(`/operator/jobs/${lastJobId}`)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
