import { readFile } from 'node:fs/promises'
import { createAccount, type NewAccountContext } from '../accounts/create-account.ts'
import { createApiKey } from '../api-keys/create-api-key.ts'
import { applyEndpoints } from '../catalog/apply-endpoints.ts'
import type { Context } from '../context/context.ts'
import { withLock } from '../db/lock.ts'

const PUBLISHED_ENDPOINT = new URL('../catalog/published-tts.yaml', import.meta.url)
const DEMO_ACCOUNT = 'demo'
const DEMO_CREDITS = 1_000_000n

/**
 * Seeds the published endpoint into a database that never had it. An operator who deletes or changes it is not overruled
 * at the next start. Any number of processes may do this at once.
 */
export async function installEndpoint(ctx: Context): Promise<void> {
  if (await isInstalled(ctx)) return
  await withLock(ctx.db, 'install', async () => {
    if (await isInstalled(ctx)) return
    const source = await readFile(PUBLISHED_ENDPOINT, 'utf8')
    await applyEndpoints(ctx, { source, readAudio: (path) => readFile(new URL(path, PUBLISHED_ENDPOINT)) })
    await ctx.db.prisma.installation.createMany({ data: [{}], skipDuplicates: true })
  })
}

/** The account that pays where the operator has made none: `demo`, with its first credits. */
export async function installDemoAccount(ctx: NewAccountContext): Promise<void> {
  if (await hasAccounts(ctx)) return
  await withLock(ctx.db, 'install', async () => {
    if (!(await hasAccounts(ctx))) await createAccount(ctx, { name: DEMO_ACCOUNT, credits: DEMO_CREDITS })
  })
}

/**
 * Where `demo` is the only account and never had a key: makes one and returns it, which is never shown again.
 * null everywhere else.
 */
export async function installDemoKey(ctx: NewAccountContext): Promise<string | null> {
  await installDemoAccount(ctx)
  if (!(await isUntouchedDemo(ctx))) return null
  return withLock(ctx.db, 'install', async () =>
    (await isUntouchedDemo(ctx))
      ? (await createApiKey(ctx, { account: DEMO_ACCOUNT, name: DEMO_ACCOUNT })).apiKey
      : null,
  )
}

async function isUntouchedDemo(ctx: Context): Promise<boolean> {
  const { rows } = await ctx.db.pool.query<{ untouched: boolean }>(
    `select (select array_agg(name) from account) = array[$1]
       and not exists (select from api_key) and not exists (select from job where api_key_id is not null) as untouched`,
    [DEMO_ACCOUNT],
  )
  return rows[0]?.untouched === true
}

const isInstalled = async (ctx: Context): Promise<boolean> => (await ctx.db.prisma.installation.count()) > 0
const hasAccounts = async (ctx: Context): Promise<boolean> =>
  (await ctx.db.prisma.account.findFirst({ select: { id: true } })) !== null
