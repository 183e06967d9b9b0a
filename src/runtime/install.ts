import { readFile } from 'node:fs/promises'
import { createAccount, type NewAccountContext } from '../accounts/create-account.ts'
import { createApiKey } from '../api-keys/change-api-key.ts'
import type { Context } from '../context/context.ts'
import { withLock } from '../db/lock.ts'
import { createUser } from '../users/create-user.ts'
import { setOperator } from '../users/update-user.ts'
import { users } from '../users/users.ts'

const PUBLISHED_ENDPOINT = new URL('../catalog/published-tts.yaml', import.meta.url)
const DEMO_ACCOUNT = 'demo'
const DEMO_CREDITS = 1_000_000n
/** RFC 2606 reserves the domain, so no mail arrives. The first sign-in replaces address and password. */
const DEMO_OWNER = 'owner@demo.invalid'

export interface Demo {
  readonly apiKey: string
  readonly owner: string
}

/** Installs the published endpoint once per database, so an operator's deletion lasts. Safe in several processes. */
export async function installEndpoint(ctx: Context): Promise<void> {
  if (await hasRows(ctx, 'installation')) return
  await withLock(ctx.db, 'install', async () => {
    if (await hasRows(ctx, 'installation')) return
    const { applyEndpoints } = await import('../catalog/apply-endpoints.ts')
    const source = await readFile(PUBLISHED_ENDPOINT, 'utf8')
    await applyEndpoints(ctx, { source, readAudio: (path) => readFile(new URL(path, PUBLISHED_ENDPOINT)) })
    await ctx.db.prisma.installation.createMany({ data: [{}], skipDuplicates: true })
  })
}

export async function installDemoAccount(ctx: NewAccountContext): Promise<void> {
  if (await hasRows(ctx, 'account')) return
  await withLock(ctx.db, 'install', async () => {
    if (!(await hasRows(ctx, 'account'))) await createAccount(ctx, { name: DEMO_ACCOUNT, credits: DEMO_CREDITS })
  })
}

/**
 * Creates a key and an owner if `demo` is the only account and never had a key; else null.
 * @param ownsMachine the service is reached from its own machine alone: its owner is an operator, too
 */
export async function installDemo(ctx: NewAccountContext, ownsMachine: boolean): Promise<Demo | null> {
  await installDemoAccount(ctx)
  if (!(await isUntouchedDemo(ctx))) return null
  return withLock(ctx.db, 'install', async () => {
    if (!(await isUntouchedDemo(ctx))) return null
    // The key comes last, because its presence marks a finished installation.
    const { edges } = await users(ctx, { account: DEMO_ACCOUNT, first: 1 })
    if (edges.length === 0) {
      const { id } = await createUser(ctx, { account: DEMO_ACCOUNT, email: DEMO_OWNER, role: 'owner' })
      if (ownsMachine) await setOperator(ctx, { user: id, operator: true })
    }
    const { apiKey } = await createApiKey(ctx, { account: DEMO_ACCOUNT, name: DEMO_ACCOUNT })
    return { apiKey, owner: edges[0]?.node.email ?? DEMO_OWNER }
  })
}

/**
 * The demo's owner as long as nobody has chosen a password or another address for them; else null. The demo is the oldest account, whatever
 * its name is now.
 */
export async function newDemoOwner({ db }: Context): Promise<string | null> {
  const demo = await db.prisma.account.findFirst({ orderBy: { id: 'asc' }, select: { id: true } })
  if (demo === null) return null
  const where = { email: DEMO_OWNER, passwordHash: null, disabledAt: null, accountId: demo.id }
  return (await db.prisma.user.findFirst({ where, select: { id: true } }))?.id ?? null
}

async function isUntouchedDemo(ctx: Context): Promise<boolean> {
  const { rows } = await ctx.db.pool.query<{ untouched: boolean }>(
    `select (select array_agg(name) from account) = array[$1]
       and not exists (select from api_key) and not exists (select from job where api_key_id is not null) as untouched`,
    [DEMO_ACCOUNT],
  )
  return rows[0]?.untouched === true
}

const hasRows = async ({ db }: Context, table: 'installation' | 'account'): Promise<boolean> =>
  (await db.pool.query(`select from ${table} limit 1`)).rowCount !== 0
