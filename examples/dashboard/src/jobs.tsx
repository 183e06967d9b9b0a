import { useQuery } from '@urql/preact'
import { useState } from 'preact/hooks'
import { type JobStatus, JobsDocument, type JobsFilter } from './gql/graphql.ts'
import { Card, JobRows, number, Problem } from './parts.tsx'

const SIZE = 10
const STATUSES: readonly JobStatus[] = ['QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED']
const START = { first: SIZE }

export function JobsPage() {
  const [filter, setFilter] = useState<JobsFilter>({})
  const [page, setPage] = useState<object>(START)
  const [{ data, error, fetching }] = useQuery({
    query: JobsDocument,
    variables: { filter, ...page },
    requestPolicy: 'cache-and-network',
  })
  const jobs = data?.viewer?.jobs
  const change = (part: JobsFilter) => {
    setFilter({ ...filter, ...part })
    setPage(START)
  }
  return (
    <Card title="All jobs">
      <form class="line" onSubmit={(event) => event.preventDefault()}>
        <label>
          Status
          <select
            onChange={({ currentTarget: { value } }) =>
              change({ statuses: STATUSES.filter((one) => value === '' || one === value) })
            }
          >
            <option value="">All</option>
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {status.toLowerCase()}
              </option>
            ))}
          </select>
        </label>
        <label>
          Id begins with
          <input
            type="search"
            placeholder="job_"
            onInput={(event) => change({ idPrefix: event.currentTarget.value || undefined })}
          />
        </label>
      </form>
      <Problem message={error?.message} />
      <JobRows jobs={jobs?.nodes ?? []} none={fetching ? 'Loading …' : 'No job fits.'} />
      {jobs && (
        <nav class="line" aria-label="Pages">
          <button
            type="button"
            disabled={!jobs.pageInfo.hasPreviousPage}
            onClick={() => setPage({ last: SIZE, before: jobs.pageInfo.startCursor })}
          >
            Newer
          </button>
          <span class="quiet">{number(jobs.totalCount)} jobs</span>
          <button
            type="button"
            disabled={!jobs.pageInfo.hasNextPage}
            onClick={() => setPage({ first: SIZE, after: jobs.pageInfo.endCursor })}
          >
            Older
          </button>
        </nav>
      )}
    </Card>
  )
}
