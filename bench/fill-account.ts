import { Client } from 'pg'
import { createAccount } from '../src/accounts/create-account.ts'
import { createApiKey } from '../src/api-keys/change-api-key.ts'
import { readSettings } from '../src/context/config.ts'
import { openRuntime } from '../src/runtime/runtime.ts'
import { openLog } from '../src/values/log.ts'
import { seedJobs } from './seed.ts'

const CREDITS = 1_000_000n

/** Puts jobs into the service's own database (DATABASE_URL or DATA_DIR), for an account of this name; returns the account and a key. */
export async function fillAccount(env: NodeJS.ProcessEnv, name: string, jobs: number): Promise<string> {
  if (!Number.isSafeInteger(jobs) || jobs < 1) throw new RangeError('Give --jobs a whole number from 1 on.')
  const settings = readSettings(env)
  const runtime = await openRuntime(settings, openLog('warn'), { supervise: false })
  const client = new Client({ connectionString: runtime.db.url })
  try {
    const operator = runtime.as({ kind: 'system' })
    const found = await runtime.db.prisma.account.findUnique({ where: { name }, select: { id: true } })
    const { id } = found ?? (await createAccount(operator, { name, credits: CREDITS }))
    await client.connect()
    await seedJobs(client, id, jobs)
    const { apiKey } = await createApiKey(operator, { account: id, name: 'seed' })
    return `${jobs} jobs in ${id} (${name}), key ${apiKey}`
  } finally {
    await client.end()
    await runtime.close()
  }
}
