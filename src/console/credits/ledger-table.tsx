import { JobLink } from '../jobs/job-link.tsx'
import type { CreditsQuery } from '../operations.ts'
import { count } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { KINDS } from './credit-filter.ts'

type Entry = CreditsQuery['creditEntries']['edges'][number]['node']

interface LedgerTableProps {
  readonly entries: readonly Entry[]
  /** Leads its readers to the jobs. */
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
              {jobId ? <JobLink id={jobId} job={job} jobsPath={jobsPath} /> : <span class="faint">–</span>}
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
