import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import { closeJobWindow } from '../list/close-job-window.ts'
import { parameterViolations, rejectViolations } from '../list/filter-parameters.ts'
import { type JobsFilter, rejectFilterViolations } from '../list/jobs-filter.ts'
import { CSV_HEAD, copyWithin, exceedsWithin, type Window } from './csv-select.ts'
import { type CsvExport, type ExportContext, exportCsv } from './export-csv.ts'

export const MAX_EXPORTED_JOBS = 500_000
const MAX_WINDOW_MS = 366 * 86_400_000

export interface ExportInput extends Window {
  readonly filter?: JobsFilter
  readonly gone?: AbortSignal
}

/**
 * The account's jobs of a window as CSV, from one snapshot.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST (over 366 days or 500,000 jobs), RATE_LIMITED, UNAVAILABLE
 */
export async function exportJobs(
  ctx: ExportContext,
  { gone, filter = {}, ...window }: ExportInput,
): Promise<CsvExport> {
  requireScope(ctx, JOB_READ_SCOPE)
  const { accountId } = requireAccount(ctx)
  rejectViolations(parameterViolations(window))
  rejectFilterViolations(filter)
  if (window.to.getTime() - window.from.getTime() > MAX_WINDOW_MS) throw tooLong()
  await closeJobWindow(ctx, accountId, { createdAt: window }, gone)
  const source = { accountId, head: CSV_HEAD, copy: copyWithin(accountId, window, filter) }
  return exportCsv(
    ctx,
    {
      ...source,
      check: async (snapshot) => {
        const [counted] = await snapshot.query<{ exceeds: boolean }>(
          exceedsWithin(accountId, window, filter, MAX_EXPORTED_JOBS),
        )
        if (counted?.exceeds !== false) throw tooMany()
      },
    },
    gone,
  )
}

const tooLong = () =>
  invalidRequest('Export at most 366 days at a time.', [{ path: 'to', message: 'is more than 366 days after from' }])

const tooMany = () =>
  invalidRequest('Export a shorter window: this one holds more than 500,000 jobs.', [
    { path: 'from', message: `holds more than ${MAX_EXPORTED_JOBS} jobs` },
  ])
