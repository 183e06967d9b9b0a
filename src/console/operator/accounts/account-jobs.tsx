import { at } from '../../api/base.ts'
import { useQuery } from '../../api/use-query.ts'
import { FAULTS } from '../../jobs/jobs-filter.ts'
import { allJobs, type JobsFilter } from '../../operations.ts'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { AllJobsTable } from '../jobs/all-jobs-table.tsx'

const SHOWN = 8
const FAILED: JobsFilter = { errorCodes: [...FAULTS] }
const ANY: JobsFilter = {}

/** Lists the account's last failures with their true causes, and its last submissions; each list links to the whole one. */
export const AccountJobs = ({ id }: { id: string }) => (
  <div class="cards">
    <LatestJobs id={id} title="Latest failures" filter={FAILED} all="All failed jobs" query="&status=failed" />
    <LatestJobs id={id} title="Latest jobs" filter={ANY} all="All jobs" query="" />
  </div>
)

interface LatestJobsProps {
  /** The account's id. */
  readonly id: string
  readonly title: string
  readonly filter: JobsFilter
  /** The address of the whole list. */
  readonly all: string
  /** The filter in the address of that list. */
  readonly query: string
}

function LatestJobs({ id, title, filter, all, query }: LatestJobsProps) {
  const list = useQuery(allJobs, { account: id, filter, first: SHOWN })
  return (
    <section class="card">
      <div class="card-head">
        <h2>{title}</h2>
        <a href={at(`/operator/jobs?account=${id}${query}`)}>{all}</a>
      </div>
      <Load query={list} skeleton={<SkeletonRows rows={3} />}>
        {({ allJobs: { edges } }) =>
          edges.length === 0 ? (
            <p class="card-body muted">None.</p>
          ) : (
            <AllJobsTable rows={edges.map(({ node }) => node)} isOfOneAccount />
          )
        }
      </Load>
    </section>
  )
}
