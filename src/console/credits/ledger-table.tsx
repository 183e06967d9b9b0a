import { at } from '../api/base.ts'
import { jobName } from '../jobs/job-name.ts'
import type { CreditsQuery } from '../operations.ts'
import { count } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { ShortId } from '../parts/short-id.tsx'
import { KINDS } from './credit-filter.ts'

type Listed = CreditsQuery['creditEntries']['edges'][number]['node']
/** Operators' lists have no texts of jobs. */
type Entry = Omit<Listed, 'job'> & { readonly job?: Listed['job'] }

interface LedgerTableProps {
  readonly entries: readonly Entry[]
  /** Where its readers find the jobs. */
  readonly jobsPath?: string
}

/** Changes of a balance, each with what it left. */
export const LedgerTable = ({ entries, jobsPath = '/jobs' }: LedgerTableProps) => (
  <div class="table-box as-cards">
    <table aria-label="Ledger">
      <thead>
        <tr>
          <th>Kind</th>
          <th>Job</th>
          <th aria-sort="descending">When</th>
          <th class="end">Credits</th>
          <th class="end">Balance</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ id, kind, amount, balance, jobId, job, createdAt }) => (
          <tr key={id}>
            <th scope="row">
              <span class={`pill ${KINDS[kind][1]}`}>{KINDS[kind][0]}</span>
            </th>
            <td class="ledger-job">
              <JobLink jobId={jobId} job={job} jobsPath={jobsPath} />
            </td>
            <td>
              <Moment at={createdAt} />
            </td>
            <td class="end">
              <span class={amount > 0 ? 'gain' : undefined}>{`${amount > 0 ? '+' : ''}${count(amount)}`}</span>
            </td>
            <td class="end" data-label="Left">
              {balance === null || balance === undefined ? '–' : count(balance)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

interface JobLinkProps extends Pick<Entry, 'jobId' | 'job'> {
  readonly jobsPath: string
}

/** The job by its first words; where the list has none, by its id. */
function JobLink({ jobId, job, jobsPath }: JobLinkProps) {
  if (!jobId) return <span class="faint">–</span>
  if (job === null) return <span class="faint">Deleted job</span>
  const href = at(`${jobsPath}/${jobId}`)
  return job === undefined ? (
    <ShortId id={jobId} href={href} />
  ) : (
    <a class="clip-cell" href={href} dir="auto" title={jobName(job)}>
      {jobName(job)}
    </a>
  )
}
