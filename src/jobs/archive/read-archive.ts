import { Readable } from 'node:stream'
import { requireOperator } from '../../access/require.ts'
import { findAccount } from '../../accounts/accounts.ts'
import type { Context } from '../../context/context.ts'
import { invalidRequest, ServiceError } from '../../errors/service-error.ts'
import { CSV_HEAD } from '../export/export-jobs.ts'
import { type ArchivePart, unpacked } from './archive-jobs.ts'

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/
const HEAD = Buffer.from(CSV_HEAD)

/**
 * The stored files, oldest month first. @param account id or name
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function listArchive(ctx: Context, { account }: { readonly account?: string | undefined }) {
  requireOperator(ctx)
  const accountId = account === undefined ? undefined : (await findAccount(ctx, account)).id
  return storedFiles(ctx, accountId === undefined ? {} : { accountId })
}

/**
 * Returns the archived jobs of an account's month as one CSV in the columns of an export.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, NOT_FOUND
 */
export async function readArchive(
  ctx: Context,
  { account, month }: { readonly account: string; readonly month: string },
): Promise<{ readonly csv: Readable; readonly jobs: number }> {
  requireOperator(ctx)
  if (!MONTH.test(month))
    throw invalidRequest('Name a month such as 2026-01.', [{ path: 'month', message: 'is no month' }])
  const { id: accountId } = await findAccount(ctx, account)
  const files = await storedFiles(ctx, { accountId, month })
  if (files.length === 0) throw new ServiceError('NOT_FOUND', `No jobs of ${month} of this account are archived.`)
  return { csv: Readable.from(joined(ctx, files)), jobs: files.reduce((sum, { jobs }) => sum + jobs, 0) }
}

const storedFiles = ({ db }: Context, where: { accountId?: string; month?: string }): Promise<ArchivePart[]> =>
  db.prisma.jobArchive.findMany({
    where: { ...where, storedAt: { not: null } },
    orderBy: [{ month: 'asc' }, { accountId: 'asc' }, { part: 'asc' }],
  })

/** Each file has a head of its own, of the columns at its time. */
async function* joined({ storage }: Context, files: readonly ArchivePart[]): AsyncGenerator<Buffer> {
  for (const [index, { storageKey }] of files.entries()) {
    let head = index === 0 ? 0 : HEAD.length
    for await (const bytes of unpacked(await storage.read(storageKey))) {
      const skipped = Math.min(head, (bytes as Buffer).length)
      head -= skipped
      yield (bytes as Buffer).subarray(skipped)
    }
  }
}
