import { at } from '../../api/base.ts'
import { JobWords } from '../../jobs/job-cell.tsx'
import { anyJobName } from '../../jobs/job-name.ts'
import { JobState } from '../../jobs/job-state.tsx'
import { useRowLink } from '../../jobs/use-row-link.ts'
import { useKeptPlace } from '../../lists/use-kept-place.ts'
import type { AllJobsQuery } from '../../operations.ts'
import { duration } from '../../parts/format.ts'
import { langOf } from '../../parts/languages.ts'
import { Moment } from '../../parts/moment.tsx'

type Row = AllJobsQuery['allJobs']['edges'][number]['node']

interface AllJobsTableProps {
  readonly rows: readonly Row[]
  /** They stand on the page of their account. */
  readonly isOfOneAccount?: boolean
}

export function AllJobsTable({ rows, isOfOneAccount = false }: AllJobsTableProps) {
  useKeptPlace()
  return (
    <div class="table-box as-cards">
      <table aria-label="Jobs">
        <thead>
          <tr>
            <th class="roomiest">Job</th>
            <th>State</th>
            {!isOfOneAccount && <th>Account</th>}
            <th>Cause</th>
            <th aria-sort="descending">Submitted</th>
            <th class="end from-980">Wait</th>
            <th class="end from-980">Run</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((job) => (
            <AnyJobRow key={job.id} {...{ job, isOfOneAccount }} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function AnyJobRow({ job, isOfOneAccount }: { job: Row; isOfOneAccount: boolean }) {
  const href = at(`/operator/jobs/${job.id}`)
  const onClick = useRowLink(href)
  return (
    <tr class="link-row" onClick={onClick}>
      <th scope="row" class="clip">
        <AnyJobCell job={job} href={href} />
      </th>
      <td>
        <JobState job={job} />
      </td>
      {!isOfOneAccount && (
        <td dir="auto" class="account-cell">
          {job.account && (
            <a href={at(`/operator/jobs?account=${job.account.id}`)} title={job.account.name}>
              {job.account.name}
            </a>
          )}
        </td>
      )}
      <td class={job.cause ? 'cause-cell' : 'cause-cell phone-none'} title={job.cause ?? undefined}>
        {job.cause ?? ''}
      </td>
      <td>
        <Moment at={job.createdAt} />
      </td>
      <td class="end phone-none from-980">{duration(job.waitMs)}</td>
      <td class="end phone-none from-980">{duration(job.runMs)}</td>
    </tr>
  )
}

/** A job by its name, with its endpoint and language; its id is on its page. */
const AnyJobCell = ({ job, href }: { job: Row; href: string }) => {
  const { language } = { language: null, ...job }
  return (
    <JobWords
      href={href}
      name={anyJobName(job)}
      lang={langOf(job.__typename === 'VoiceJob' && job.textExcerpt && language)}
      detail={<bdi title={job.endpointKey}>{[job.endpointKey, language].filter(Boolean).join(' · ')}</bdi>}
    />
  )
}
