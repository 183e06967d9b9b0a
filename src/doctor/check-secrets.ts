import type { ServiceContext } from '../runtime/services.ts'
import { commandLine } from '../values/command-line.ts'
import { type Check, error, ok } from './finding.ts'

const PAGE = 1_000
const SECRETS = `
  select id, account_id as "accountId", sealed from webhook_secret where id > $1 order by id limit ${PAGE}`

interface Secret {
  readonly id: string
  readonly accountId: string
  readonly sealed: Uint8Array
}

/** Checks each secret, because an older key may have sealed any one. */
export const secretCheck: Check<ServiceContext> = {
  check: 'SECRET_KEY',
  run: async ({ db, vault, settings }) => {
    let [total, unreadable, old] = [0, 0, 0]
    for await (const { accountId, sealed } of allSecrets(db)) {
      total++
      if (!vault.opens(accountId, sealed)) unreadable++
      else if (!vault.isCurrent(accountId, sealed)) old++
    }
    if (unreadable > 0) {
      const found = `${unreadable} of ${total} webhook secrets do not open`
      return [
        error(
          found,
          `set SECRET_KEY to what it was, or OLD_SECRET_KEY to that and run ${commandLine('secrets rekey')}`,
        ),
      ]
    }
    if (old > 0)
      return [error(`${old} webhook secrets open by OLD_SECRET_KEY alone`, `run ${commandLine('secrets rekey')}`)]
    const spare = settings.oldSecretKey === null ? '' : '; OLD_SECRET_KEY is not needed any more'
    return [ok(`opens all ${total} webhook secrets${spare}`)]
  },
}

async function* allSecrets({ pool }: ServiceContext['db']) {
  for (let after = '0'; ; ) {
    const { rows: page } = await pool.query<Secret>(SECRETS, [after])
    yield* page
    if (page.length < PAGE) return
    after = page.at(-1)!.id
  }
}
