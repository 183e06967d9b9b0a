import { requireOperator } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { inTransaction } from '../db/database.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { isId, newId } from '../values/id.ts'
import type { SecretVault } from '../values/secret-vault.ts'
import { checkName, MAX_CREDITS } from './account.ts'
import type { Account } from './account-view.ts'
import { addSecret } from './add-webhook-secret.ts'

/** A new account's signing secret rests sealed. */
export interface NewAccountContext extends Context {
  readonly vault: SecretVault
}

const UNIQUE_VIOLATION = '23505'

/** Makes an account with a first grant of credits. @throws INVALID_REQUEST for a bad name, an id, a name in use or a negative grant */
export async function createAccount(
  ctx: NewAccountContext,
  input: { readonly name: string; readonly credits: bigint },
): Promise<Account> {
  requireOperator(ctx)
  // Commands take either: a name that is another account's id would have its credits, keys and callbacks go there.
  if (isId('acct', input.name)) throw invalidRequest('Choose another name: this one is an account id.')
  checkName(input.name)
  if (input.credits < 0n || input.credits > MAX_CREDITS) {
    const details = [{ path: '/credits', message: `must be from 0 to ${MAX_CREDITS}` }]
    throw invalidRequest(`Give credits from 0 to ${MAX_CREDITS}.`, details)
  }
  const id = newId('acct', ctx.now())
  await inTransaction(ctx.db, async (tx) => {
    await tx.query('insert into account (id, name, credits) values ($1, $2, $3)', [id, input.name, input.credits])
    // Unseen until the first rotation shows one: no callback of the account ever goes out unsigned.
    await addSecret(ctx, tx, id)
    if (input.credits > 0n) {
      await tx.query(`insert into credit_entry (account_id, kind, amount) values ($1, 'grant', $2)`, [
        id,
        input.credits,
      ])
    }
  }).catch((error: { code?: string }) => {
    if (error.code === UNIQUE_VIOLATION)
      throw invalidRequest(`Choose another name: "${input.name}" is taken.`, [{ path: '/name', message: 'is taken' }])
    throw error
  })
  return { id, name: input.name, credits: input.credits }
}
