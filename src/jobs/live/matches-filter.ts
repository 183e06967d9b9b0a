import type { Job } from '../job-shape.ts'
import type { JobFilter } from '../list/job-filter.ts'

/** Whether a job is among those that the filter asks for: what the list decides in SQL. */
export function matchesFilter(filter: JobFilter, job: Job): boolean {
  const { type, decision, status, apiKeyId, search, from, to } = filter
  return (
    (!type || job.type === type) &&
    (!decision || job.isProhibited === (decision === 'reject')) &&
    (!status || status.includes(job.status)) &&
    (typeof apiKeyId !== 'string' || job.apiKeyId === apiKeyId) &&
    (!search || job.id.startsWith(search)) &&
    (!from || job.createdAt >= from) &&
    (!to || job.createdAt < to)
  )
}
