import { at } from '../../api/base.ts'
import type { CauseRowFragment } from '../../operations.ts'
import { Sparkline } from '../../overview/sparkline.tsx'
import { count, sentence } from '../../parts/format.ts'
import { ShortId } from '../../parts/short-id.tsx'
import { Twin } from '../../statistics/twin.tsx'
import type { FailureGroup } from './failure-groups.ts'

interface FailureCardProps {
  readonly group: FailureGroup
  /** The address of its jobs. */
  readonly href: string
  /** Beginnings of the steps, in milliseconds. */
  readonly steps: readonly number[]
  readonly formatTime: (ms: number) => string
}

/** A code of an endpoint: how often it came, step by step, and its true causes. */
export function FailureCard({ group, href, steps, formatTime }: FailureCardProps) {
  const { errorCode, endpointKey, jobs, line, causes } = group
  const title = `${sentence(errorCode)} of ${endpointKey}`
  return (
    <section class="card failure-card" aria-label={title}>
      <div class="card-head">
        <span class="row">
          <h2>
            <a href={href}>{sentence(errorCode)}</a>
          </h2>
          <span class="chip">{endpointKey}</span>
        </span>
        <Trend line={line} jobs={jobs} />
      </div>
      {causes === null ? (
        <p class="card-body muted">Its causes are not counted yet.</p>
      ) : causes.length === 0 ? (
        <p class="card-body muted">Its causes are not among the hundred most frequent ones.</p>
      ) : (
        <CausesTable causes={causes} />
      )}
      {line && (
        <Twin
          {...{ title, formatTime }}
          times={steps}
          columns={[{ name: 'Failed jobs', values: line, format: count }]}
        />
      )}
    </section>
  )
}

/** The failures of all codes and endpoints together. */
export const AllFailuresCard = ({
  line,
  steps,
  formatTime,
}: Pick<FailureCardProps, 'steps' | 'formatTime'> & { line: readonly number[] }) => (
  <section class="card failure-card" aria-label="All failures">
    <div class="card-head">
      <h2>All failures</h2>
      <Trend line={line} jobs={line.reduce((sum, jobs) => sum + jobs, 0)} />
    </div>
    <Twin
      {...{ formatTime }}
      title="All failures"
      times={steps}
      columns={[{ name: 'Failed jobs', values: line, format: count }]}
    />
  </section>
)

const Trend = ({ line, jobs }: Pick<FailureGroup, 'line' | 'jobs'>) => (
  <span class="trend">
    {line && <Sparkline values={line} tone="red" />}
    <strong class="figure">{`${count(jobs)} ${jobs === 1 ? 'job' : 'jobs'}`}</strong>
  </span>
)

const CausesTable = ({ causes }: { causes: readonly CauseRowFragment[] }) => (
  <div class="table-box as-cards">
    <table aria-label="Causes">
      <thead>
        <tr>
          <th>Cause</th>
          <th class="end">Jobs</th>
          <th>Newest job</th>
        </tr>
      </thead>
      <tbody>
        {causes.map(({ cause, jobs, lastJobId }) => (
          <tr key={lastJobId}>
            <th scope="row" class="wrap-anywhere cause-of-many">
              {cause ?? <span class="faint">none recorded</span>}
            </th>
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
