import { useQuery } from '@urql/preact'
import { useState } from 'preact/hooks'
import { messageOf } from './client.ts'
import { type JobStatus, JobsDocument, type JobsFilter } from './gql/graphql.ts'
import { Card, Choice, JobRows, number, Problem } from './parts.tsx'

const SIZE = 10
const STATUSES: readonly JobStatus[] = ['QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED']
const CHOICES = STATUSES.map((status) => ({ slug: status, name: status.toLowerCase() }))
const START = { first: SIZE }

export function JobsPage() {
  const [status, setStatus] = useState('')
  const [idPrefix, setIdPrefix] = useState('')
  const [page, setPage] = useState<object>(START)
  const filter: JobsFilter = {
    statuses: STATUSES.filter((one) => status === '' || one === status),
    ...(idPrefix && { idPrefix }),
  }
  const [{ data, error, fetching }] = useQuery({
    query: JobsDocument,
    variables: { filter, ...page },
    requestPolicy: 'cache-and-network',
  })
  const jobs = data?.viewer?.jobs
  const change = (set: (value: string) => void) => (value: string) => {
    set(value)
    setPage(START)
  }
  return (
    <Card title="All jobs">
      <form class="line" onSubmit={(event) => event.preventDefault()}>
        <Choice
          label="Status"
          value={status}
          options={[{ slug: '', name: 'All' }, ...CHOICES]}
          onChoose={change(setStatus)}
        />
        <label>
          Id begins with
          <input
            type="search"
            placeholder="job_"
            value={idPrefix}
            onInput={(event) => change(setIdPrefix)(event.currentTarget.value)}
          />
        </label>
      </form>
      <Problem message={messageOf(error)} />
      {(jobs || fetching) && (
        <JobRows
          jobs={jobs?.nodes ?? []}
          none={fetching ? 'Loading …' : status || idPrefix ? 'No job fits.' : 'No jobs yet.'}
        />
      )}
      {jobs && jobs.totalCount > 0 && (
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
