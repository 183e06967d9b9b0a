import { randomBytes } from 'node:crypto'
import { requireConfirmedOperator } from '../access/require.ts'
import { recordChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { sqlIn } from '../db/sql.ts'
import { invalidRequest } from '../errors/service-error.ts'
import type { MeasuredParts } from '../telemetry/telemetry.ts'
import { newId } from '../values/id.ts'
import type { SecretVault } from '../values/secret-vault.ts'
import { ACCOUNT_VIEW, type Account, checkAccountName, explainTakenName, MAX_CREDITS } from './accounts.ts'

const SECRET_BYTES = 32

export interface NewAccountContext extends Context, MeasuredParts {
  readonly vault: SecretVault
}

/** @throws UNAUTHORIZED, FORBIDDEN, REAUTHENTICATION_REQUIRED, INVALID_REQUEST for an id, a bad name, a grant out of range or a name in use */
export async function createAccount(
  ctx: NewAccountContext,
  input: { readonly name: string; readonly credits: bigint; readonly query?: RowQuery },
): Promise<Account> {
  requireConfirmedOperator(ctx)
  checkAccountName(input.name)
  if (input.credits < 0n || input.credits > MAX_CREDITS) {
    const details = [{ path: '/credits', message: `must be from 0 to ${MAX_CREDITS}` }]
    throw invalidRequest(`Give credits from 0 to ${MAX_CREDITS}.`, details)
  }
  const id = newId('acct', ctx.now())
  const data = {
    ...{ id, name: input.name, credits: input.credits },
    webhookSecrets: {
      create: { sealed: ctx.vault.seal(id, newWebhookSecret()), publicId: newId('secret', ctx.now()) },
    },
    ...(input.credits > 0n && {
      entries: { create: { kind: 'grant' as const, amount: input.credits, publicId: newId('entry', ctx.now()) } },
    }),
  }
  const create = ctx.db.prisma.$transaction(async (tx) => {
    const account = await tx.account.create({ data, select: selectOf(ACCOUNT_VIEW, input.query) })
    const change = { accountId: id, subjectId: id, subjectName: input.name, detail: String(input.credits) }
    await recordChange(sqlIn(tx), ctx.actor, { action: 'account_created', ...change })
    return account
  })
  const created = await create.catch((error: unknown) => explainTakenName(error, input.name))
  ctx.telemetry.count('credits_total', { kind: 'grant' }, Number(input.credits))
  return created
}

/** The bytes of an HMAC key. */
export const newWebhookSecret = (): Buffer => randomBytes(SECRET_BYTES)
