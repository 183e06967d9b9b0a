import type { Query } from '../../../rest/parameters.ts'
import { type Detail, invalidRequest } from '../../errors/service-error.ts'
import { JOB_ERRORS, JOB_STATUSES, JOB_TYPES } from '../../jobs/job-states.ts'
import type { JobsFilter } from '../../jobs/list/jobs-filter.ts'

const ERROR_CODES = Object.keys(JOB_ERRORS)
interface Listed {
  readonly field: keyof JobsFilter
  readonly values: readonly string[] | undefined
}

const FILTERS: Readonly<Record<string, Listed>> = {
  status: { field: 'statuses', values: JOB_STATUSES },
  type: { field: 'types', values: JOB_TYPES },
  error: { field: 'errorCodes', values: ERROR_CODES },
  endpoint: { field: 'endpointKeys', values: undefined },
  key: { field: 'apiKeyIds', values: undefined },
  search: { field: 'idPrefix', values: undefined },
}

export function listedJobs(query: Query): JobsFilter {
  const details: Detail[] = []
  const fields = Object.entries(FILTERS).flatMap(([name, { field, values }]) => {
    const given = query[name]
    if (given === undefined || given === '') return []
    if (typeof given !== 'string') details.push({ path: name, message: 'must be given once' })
    const texts = String(given).split(',')
    const found = values === undefined ? texts : texts.map((text) => values.find((one) => isSame(one, text)))
    if (found.includes(undefined)) details.push({ path: name, message: `must be of ${values?.join(', ')}` })
    return [[field, field === 'idPrefix' ? given : found]]
  })
  if (details.length > 0) throw invalidRequest('Invalid request: see `details`.', details)
  return Object.fromEntries(fields)
}

const isSame = (value: string, text: string): boolean => value.toLowerCase() === text.trim().toLowerCase()
