import { toCsv } from '../jobs/csv.ts'
import type { StatisticsQuery } from '../operations.ts'
import { count, duration, sentence } from '../parts/format.ts'
import { CsvButton } from './csv-button.tsx'

/** The address of the jobs that are counted under a filter. */
type JobsOf = (filter: Record<string, string>) => string

const PERCENTILES = [
  ['p50', 'half within'],
  ['p95', '95% within'],
  ['p99', '99% within'],
] as const

type Total = StatisticsQuery['total'][number]

/** Waiting and running times, as half, 95 and 99 of 100 jobs saw them: a row each, since a phone has no room for a column each. */
export const Latencies = ({ wait, run }: { wait: Total['waitMs'] | null; run: Total['runMs'] | null }) => (
  <section class="card">
    <div class="card-head">
      <h2>Times</h2>
    </div>
    <div class="table-box">
      <table aria-label="Times">
        <thead>
          <tr>
            <th> </th>
            <th class="end">Waited</th>
            <th class="end">Ran</th>
          </tr>
        </thead>
        <tbody>
          {PERCENTILES.map(([percentile, jobs]) => (
            <tr key={percentile}>
              <th scope="row">{jobs}</th>
              <td class="end">{duration(wait?.[percentile])}</td>
              <td class="end">{duration(run?.[percentile])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
)

/** Failures by code, each leading to its jobs. */
export function Breakdown({ errors, jobsOf }: { errors: StatisticsQuery['errors']; jobsOf: JobsOf }) {
  const failed = errors.filter(({ errorCode }) => errorCode).toSorted((a, b) => b.jobs - a.jobs)
  const most = failed[0]?.jobs ?? 1
  return (
    <section class="card">
      <div class="card-head">
        <h2>Failures by error</h2>
        {failed.length > 0 && (
          <CsvButton title="Failures by error" toText={() => toCsv(['errorCode', 'jobs'], failed)} />
        )}
      </div>
      {failed.length === 0 ? (
        <p class="card-body muted">No job failed in this time.</p>
      ) : (
        <ul class="card-body meters">
          {failed.map(({ errorCode, jobs }) => (
            <li key={errorCode}>
              <a href={jobsOf({ error: errorCode?.toLowerCase() ?? '' })}>{sentence(errorCode ?? '')}</a>
              <meter min={0} max={most} value={jobs} aria-label={sentence(errorCode ?? '')} />
              <span class="figure">{count(jobs)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
