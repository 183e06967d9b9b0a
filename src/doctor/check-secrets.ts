import type { ServiceContext } from '../runtime/services.ts'
import { type Check, error, ok, warning } from './finding.ts'

/** Newest first: what was sealed under a key that is gone is among them. */
const MOST_SECRETS = 1_000

/** Whether SECRET_KEY opens what it once sealed. */
export const secretCheck: Check<ServiceContext> = {
  check: 'SECRET_KEY',
  run: async ({ db, vault, settings }) => {
    const secrets = await db.prisma.webhookSecret.findMany({ orderBy: { id: 'desc' }, take: MOST_SECRETS })
    const unreadable = secrets.filter(({ accountId, sealed }) => !vault.opens(accountId, sealed))
    if (unreadable.length > 0) {
      const found = `${unreadable.length} of ${secrets.length} webhook secrets do not open`
      return [error(found, 'set SECRET_KEY to what it was, or OLD_SECRET_KEY to that and run sonant secrets rekey')]
    }
    const old = secrets.filter(({ accountId, sealed }) => !vault.isCurrent(accountId, sealed)).length
    if (old > 0) return [warning(`${old} webhook secrets open by OLD_SECRET_KEY alone`, 'run sonant secrets rekey')]
    const spare = settings.oldSecretKey === null ? '' : '; OLD_SECRET_KEY is not needed any more'
    return [ok(`opens all ${secrets.length} webhook secrets${spare}`)]
  },
}
