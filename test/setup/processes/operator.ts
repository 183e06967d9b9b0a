import { showAccount } from '../../../src/accounts/accounts.ts'
import { createAccount } from '../../../src/accounts/create-account.ts'
import { createApiKey, type NewApiKey } from '../../../src/api-keys/change-api-key.ts'
import { openCommand } from '../../../src/cli/open-command.ts'
import { readSettings } from '../../../src/context/config.ts'
import type { ServiceContext } from '../../../src/runtime/services.ts'
import { openLog } from '../../../src/values/log.ts'
import type { Env } from './process.ts'

/** `sonant accounts create`, in this process: a command line for it takes most of a second of processor time. */
export const makeAccount = (env: Env, name: string, credits: number): Promise<unknown> =>
  asOperator(env, (ctx) => createAccount(ctx, { name, credits: BigInt(credits) }))

/** `sonant keys create`; without scopes the default ones. */
export const makeKey = (env: Env, account: string, scopes?: readonly string[]): Promise<NewApiKey> =>
  asOperator(env, (ctx) => createApiKey(ctx, { account, name: 'k', ...(scopes !== undefined && { scopes }) }))

/** Reads the output of `sonant accounts show`. */
export const creditsOf = (env: Env, account: string): Promise<number> =>
  asOperator(env, async (ctx) => Number((await showAccount(ctx, { account })).credits))

async function asOperator<T>(env: Env, work: (ctx: ServiceContext) => Promise<T>): Promise<T> {
  const opened = await openCommand(readSettings(env), openLog('silent'), [])
  try {
    return await work(opened.ctx)
  } finally {
    await opened.close()
  }
}
