import type { Job } from '../job-shape.ts'
import type { JobsFilter, Range } from './jobs-filter.ts'

export const matchesFilter = (filter: JobsFilter, job: Job): boolean =>
  matchesValues(filter, job) &&
  matchesRanges(filter, job) &&
  (filter.and?.every((part) => matchesFilter(part, job)) ?? true) &&
  (filter.or?.some((part) => matchesFilter(part, job)) ?? true) &&
  !(filter.not && matchesFilter(filter.not, job))

const matchesValues = (filter: JobsFilter, job: Job): boolean =>
  isAmong(filter.types, job.type) &&
  isAmong(filter.statuses, job.status) &&
  (!filter.decision || job.isProhibited === (filter.decision === 'reject')) &&
  isAmong(filter.endpointKeys, job.endpointKey) &&
  isAmong(filter.apiKeyIds, job.apiKeyId) &&
  isAmong(filter.errorCodes, job.errorCode) &&
  (!filter.idPrefix || job.id.startsWith(filter.idPrefix))

const matchesRanges = ({ createdAt, completedAt, durationMs }: JobsFilter, job: Job): boolean =>
  isWithin(createdAt, job.createdAt) &&
  isWithin(completedAt, job.completedAt) &&
  isWithin(durationMs, job.completedAt && job.completedAt.getTime() - job.createdAt.getTime())

const isAmong = <T>(values: readonly T[] | null | undefined, value: T | null): boolean =>
  values == null || (value !== null && values.includes(value))

function isWithin<T extends Date | number>(range: Range<T> | null | undefined, value: T | null): boolean {
  if (range == null) return true
  const { from, to } = range
  return (from == null || (value !== null && value >= from)) && (to == null || (value !== null && value < to))
}
