import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { readSettings } from '../../src/context/config.ts'
import { postgresUrl, withOfferedTls, withSslDefaults } from '../../src/db/connections/postgres-url.ts'
import { openRuntime } from '../../src/runtime/runtime.ts'
import { openLog } from '../../src/values/log.ts'
import { freePorts } from '../setup/http.ts'
import { cloneDatabase } from '../setup/postgres/database.ts'
import { runHere } from '../setup/processes/command-here.ts'
import { cleanUp, makeTempDir, run } from '../setup/processes/process.ts'
import { type Certificates, testCertificates } from '../setup/servers/certificates.ts'
import { startFaultProxy } from '../setup/servers/fault-proxy.ts'
import { startTlsFront } from '../setup/servers/tls-front.ts'
import { startTransactionPooler } from '../setup/servers/transaction-pooler.ts'

let admin: Client
let name: string
let dataDir: string
beforeAll(async () => {
  admin = new Client({ connectionString: inject('databaseUrl') })
  await admin.connect()
  dataDir = await makeTempDir()
})
afterAll(async () => {
  await admin.end()
  await cleanUp()
})
beforeEach(() => {
  name = `external_${randomBytes(4).toString('hex')}`
})
afterEach(async () => {
  await admin.query(`drop database if exists ${name} with (force)`)
  await admin.query(`drop role if exists ${name}`)
})

const urlOf = (role?: string): string => {
  const url = new URL(inject('databaseUrl'))
  url.pathname = `/${name}`
  if (role !== undefined) url.username = role
  return url.href
}
const settingsOf = (url: string) => readSettings({ DATABASE_URL: url, DATA_DIR: dataDir })
/** Opens the service on a database and closes it again. */
const open = async (url: string): Promise<void> => {
  const runtime = await openRuntime(settingsOf(url), openLog('silent'), { supervise: false })
  await runtime.close()
}
/** Runs SQL in the database, as its owner. */
const inside = async <T extends object>(sql: string): Promise<T[]> => {
  const client = new Client({ connectionString: urlOf() })
  await client.connect()
  try {
    return (await client.query<T>(sql)).rows
  } finally {
    await client.end()
  }
}
const made = async () => {
  const [found] = await inside(`select to_regclass('_prisma_migrations') as ledger, to_regnamespace('pgboss') as queue,
    (select count(*)::integer from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())) as locks`)
  return found
}
const NOTHING = { ledger: null, queue: null, locks: 0 }

describe('a pooler in transaction mode', () => {
  test('is recognised at start and refused in one sentence, before anything is created or locked', async () => {
    await admin.query(`create database ${name}`)
    const pooler = await startTransactionPooler(urlOf())
    try {
      const { code, stderr } = await run(['migrate'], { DATABASE_URL: pooler.url, DATA_DIR: dataDir })
      expect([code, stderr]).toEqual([
        1,
        `Check DATABASE_URL: the database ${new URL(pooler.url).host}/${name} is reached through a pooler in transaction mode, which loses locks and notifications: set DIRECT_DATABASE_URL to PostgreSQL itself, or the pooler to session mode (PgBouncer: pool_mode = session).\n`,
      ])
      expect(await made()).toEqual(NOTHING)
    } finally {
      await pooler.close()
    }
  })
})

describe('a database in another encoding', () => {
  test.each(['LATIN1', 'SQL_ASCII'])('is refused at start in one sentence: %s', async (encoding) => {
    await admin.query(`create database ${name} encoding '${encoding}' locale 'C' template template0`)
    await expect(open(urlOf())).rejects.toThrow(
      `Check DATABASE_URL: the database localhost/${name} is encoded in ${encoding}, which cannot hold every text: create one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.`,
    )
    expect(await made()).toEqual(NOTHING)
  })
})

describe('a role that lacks a privilege', () => {
  const lacking = (...grants: string[]) =>
    `Check DATABASE_URL: the database localhost/${name} lacks privileges for the role ${name}: its owner has to run ${grants.join('; ')}.`
  beforeEach(async () => {
    await admin.query(`create database ${name}`)
    await admin.query(`create role ${name} login`)
  })
  afterEach(() => inside(`drop owned by ${name} cascade`))

  test('to connect reads which GRANT it needs, and no backtrace', async () => {
    await admin.query(`revoke connect on database ${name} from public`)
    const { code, stderr } = await run(['migrate'], { DATABASE_URL: urlOf(name), DATA_DIR: dataDir })
    expect([code, stderr]).toEqual([1, `${lacking(`GRANT CONNECT ON DATABASE "${name}" TO "${name}"`)}\n`])
  })

  test('to create schemas and tables reads which GRANTs it needs, and starts once it has them', async () => {
    const grants = [
      `GRANT CREATE ON DATABASE "${name}" TO "${name}"`,
      `GRANT USAGE, CREATE ON SCHEMA "public" TO "${name}"`,
    ]
    await expect(open(urlOf(name))).rejects.toThrow(lacking(...grants))
    expect(await made()).toEqual(NOTHING)
    await inside(grants.join(';'))
    await expect(open(urlOf(name))).resolves.toBeUndefined()
  })

  test.each([
    ['role', `alter role NAME set search_path = nowhere, "No, where"`],
    ['database', `alter database NAME set search_path = nowhere, "No, where"`],
  ])(
    'or whose search_path leads nowhere by its %s reads that, and starts once it is set as the sentence says',
    async (_, sql) => {
      await admin.query(`grant create on database ${name} to ${name}; ${sql.replace('NAME', name)}`)
      const set = `ALTER ROLE "${name}" IN DATABASE "${name}" SET search_path = public`
      await expect(open(urlOf(name))).rejects.toThrow(
        `Check DATABASE_URL: the database localhost/${name} has none of the schemas in the search_path of its connection (nowhere, "No, where"): ${set}, unless the URL sets one in its options.`,
      )
      expect(await made()).toEqual(NOTHING)
      await admin.query(set)
      await inside(`grant usage, create on schema public to ${name}`)
      await expect(open(urlOf(name))).resolves.toBeUndefined()
    },
  )

  test('and a search_path in quotation marks that it does not need leads somewhere', async () => {
    const url = new URL(urlOf())
    url.searchParams.set('options', '-c search_path="public"')
    await expect(open(url.href)).resolves.toBeUndefined()
  })

  test.each([
    ['app', 'app'],
    ['"app"', 'app'],
    ['APP', 'app'],
    ['"No, where"', 'No, where'],
  ])('to use the schema of its search_path, %s, reads which GRANT that needs', async (path, schema) => {
    await inside(`create schema "${schema}"`)
    await admin.query(`grant create on database ${name} to ${name}; alter role ${name} set search_path = ${path}`)
    await expect(open(urlOf(name))).rejects.toThrow(lacking(`GRANT USAGE, CREATE ON SCHEMA "${schema}" TO "${name}"`))
  })

  test('or whose schema public is not there, or not of that name, reads how to make it, and starts then', async () => {
    await admin.query(`grant create on database ${name} to ${name}; alter role ${name} set search_path = "PUBLIC"`)
    await inside('drop schema public')
    const sql = `CREATE SCHEMA public; ALTER ROLE "${name}" IN DATABASE "${name}" SET search_path = public`
    await expect(open(urlOf(name))).rejects.toThrow(`("PUBLIC"): ${sql}, unless`)
    await inside(sql)
    await inside(`grant usage, create on schema public to ${name}`)
    await expect(open(urlOf(name))).resolves.toBeUndefined()
  })

  test('to write reads which GRANTs it needs, and starts once it has them', async () => {
    await open(urlOf())
    await inside(
      `grant usage on schema pgboss to ${name}; grant select on all tables in schema public, pgboss to ${name}`,
    )
    const grants = [
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "public", pgboss TO "${name}"`,
      `GRANT USAGE ON ALL SEQUENCES IN SCHEMA "public", pgboss TO "${name}"`,
    ]
    await expect(open(urlOf(name))).rejects.toThrow(lacking(...grants))
    await inside(grants.join(';'))
    await expect(open(urlOf(name))).resolves.toBeUndefined()
  })

  test('to change tables, while migrations are pending, reads which ownership it needs, and fails no migration', async () => {
    await open(urlOf())
    const last = '(select max(migration_name) from _prisma_migrations)'
    await inside(`
      create table applied as select * from _prisma_migrations where migration_name = ${last};
      delete from _prisma_migrations where migration_name = ${last};
      grant usage on schema public, pgboss to ${name};
      grant select, insert, update, delete on all tables in schema public, pgboss to ${name};
      grant usage on all sequences in schema public, pgboss to ${name}`)
    const { code, stderr } = await run(['migrate'], { DATABASE_URL: urlOf(name), DATA_DIR: dataDir })
    const [owner] = await inside<{ name: string }>('select current_user as name')
    expect([code, stderr]).toEqual([
      1,
      `Migrations are pending, and the role ${name} does not own the tables: run "npx sonant migrate" as their owner, ${owner?.name}, or have a superuser run GRANT "${owner?.name}" TO "${name}".\n`,
    ])
    await inside('insert into _prisma_migrations select * from applied')
    await expect(open(urlOf(name))).resolves.toBeUndefined()
  })

  test('to write anything at all reads which setting keeps it from it', async () => {
    await admin.query(`alter role ${name} set default_transaction_read_only = on`)
    await expect(open(urlOf(name))).rejects.toThrow(
      `the database localhost/${name} is read-only for the role ${name}: ALTER ROLE "${name}" SET default_transaction_read_only = off.`,
    )
  })
})

describe('a connection over TLS', () => {
  let certificates: Certificates
  let front: Awaited<ReturnType<typeof startTlsFront>>
  const warned: object[] = []
  // A lost connection is warned of as well.
  const warnings: string[] = []
  const warn = (entry: object, message: string) => {
    if (!('servers' in entry)) return
    warned.push(entry)
    warnings.push(message)
  }
  const log = Object.assign(openLog('silent'), { warn })
  beforeAll(async () => {
    certificates = testCertificates()
  })
  beforeEach(async () => {
    warned.length = 0
    await cloneDatabase(name, 'opened')
  })
  afterEach(() => front.close())

  const connectBy = async (
    pair: 'good' | 'selfSigned' | 'wrongHost',
    parameters: string,
    env: Record<string, string> = {},
  ): Promise<void> => {
    front = await startTlsFront(urlOf(), certificates[pair])
    const settings = readSettings({ DATABASE_URL: `${front.url}?${parameters}`, DATA_DIR: dataDir, ...env })
    const runtime = await openRuntime(settings, log, { supervise: false })
    await runtime.close()
    expect(front.encrypted()).toBeGreaterThan(1)
  }
  const VERIFYING = { pgSslMode: 'verify-full', pgSslRootCert: null }
  const rootcert = () => `sslrootcert=${encodeURIComponent(certificates.caFile)}`

  test.each([
    ['sslmode=require is encrypted and not verified, as libpq does it', 'sslmode=require', {}],
    ['sslmode=prefer is encrypted where the server offers TLS', 'sslmode=prefer', {}],
    ['sslmode=allow is encrypted where the server offers TLS', 'sslmode=allow', {}],
    ['PGSSLMODE=require is the same as by the sslmode of a URL that has none', '', { PGSSLMODE: 'require' }],
    ['the sslmode of a URL is so whatever PGSSLMODE says', 'sslmode=require', { PGSSLMODE: 'verify-full' }],
  ])('by %s, with one warning', async (_what, parameters, env) => {
    await connectBy('selfSigned', parameters, env)
    expect(warned).toEqual([{ servers: [new URL(front.url).host] }])
  })

  test.each([
    ['require', 'wrongHost'],
    ['verify-ca', 'wrongHost'],
    ['verify-full', 'good'],
  ] as const)('by PGSSLMODE=%s is verified by PGSSLROOTCERT, as by the sslrootcert of a URL', async (mode, pair) => {
    await connectBy(pair, '', { PGSSLMODE: mode, PGSSLROOTCERT: certificates.caFile })
    await front.close()
    const refused = connectBy('selfSigned', '', { PGSSLMODE: mode, PGSSLROOTCERT: certificates.caFile })
    await expect(refused).rejects.toThrow(/self-signed certificate/)
    expect(warned).toEqual([])
  })

  test('by the sslmode of a URL is verified by PGSSLROOTCERT, and by nothing but its own sslrootcert', async () => {
    const refused = connectBy('selfSigned', 'sslmode=require', { PGSSLROOTCERT: certificates.caFile })
    await expect(refused).rejects.toThrow(/self-signed certificate/)
    await front.close()
    await connectBy('good', `sslmode=verify-full&${rootcert()}`, { PGSSLROOTCERT: '/nowhere' })
  })

  test('by PGSSLROOTCERT=system is verified in full by the authorities of the system, also without PGSSLMODE', async () => {
    await connectBy('good', '', { PGSSLROOTCERT: 'system' })
    await front.close()
    await expect(connectBy('wrongHost', '', { PGSSLROOTCERT: 'system' })).rejects.toThrow(/altnames/)
    const weak = { pgSslMode: 'require', pgSslRootCert: 'system' }
    const sentence = 'Check PGSSLROOTCERT: PGSSLROOTCERT=system takes sslmode=verify-full.'
    expect(() => withSslDefaults('postgres://u@h/db', weak)).toThrow(sentence)
  })

  test('by PGSSLMODE=verify-ca alone is verified in full, as before, with one warning that names PGSSLMODE', async () => {
    await connectBy('good', '', { PGSSLMODE: 'verify-ca' })
    expect(warned).toEqual([{ servers: [new URL(front.url).host] }])
    expect(warnings.at(-1)).toMatch(/^PGSSLMODE=verify-ca takes PGSSLROOTCERT=FILE/)
    await front.close()
    await expect(connectBy('wrongHost', '', { PGSSLMODE: 'verify-ca' })).rejects.toThrow(/altnames/)
  })

  test('is not begun by PGSSLROOTCERT alone, and one that cannot be read is refused by its own name', () => {
    const bare = 'postgres://u@h/db'
    expect(withSslDefaults(bare, { pgSslMode: null, pgSslRootCert: '/nowhere' })).toBe(bare)
    expect(withSslDefaults(`${bare}?sslmode=disable`, { pgSslMode: null, pgSslRootCert: '/nowhere' })).toMatch(
      /\?sslmode=disable$/,
    )
    const sentence = 'Check PGSSLROOTCERT: PGSSLROOTCERT names a file that cannot be read: /nowhere (ENOENT).'
    expect(() => withSslDefaults(bare, { ...VERIFYING, pgSslRootCert: '/nowhere' })).toThrow(sentence)
  })

  test('by sslmode=require to several servers, and past a pooler, has one warning that names them all', async () => {
    front = await startTlsFront(urlOf(), certificates.selfSigned)
    const { host } = new URL(front.url)
    const url = `${front.url.replace(host, `${host},localhost:1`)}?sslmode=require`
    const settings = readSettings({ DATABASE_URL: url, DIRECT_DATABASE_URL: url, DATA_DIR: dataDir })
    await (await openRuntime(settings, log, { supervise: false })).close()
    expect(warned).toEqual([{ servers: [host, 'localhost:1'] }])
  })

  test('has one warning also of a command that opens the database twice: the first one of all, and restore', async () => {
    front = await startTlsFront(urlOf(), certificates.selfSigned)
    const backup = join(await makeTempDir(), 'backup')
    const env = { DATABASE_URL: `${front.url}?sslmode=require`, DATA_DIR: dataDir, SECRET_KEY: 's'.repeat(40) }
    const warningsOf = async (...args: string[]) => {
      const { code, stderr } = await run(args, env)
      return [code, stderr.split('its server is not verified').length - 1]
    }
    const empty = async () => {
      await admin.query(`drop database ${name} with (force)`)
      await admin.query(`create database ${name}`)
    }
    await empty()
    expect(await warningsOf('accounts', 'list')).toEqual([0, 1])
    expect((await runHere(['backup', backup], env)).code).toBe(0)
    await empty()
    expect(await warningsOf('restore', backup)).toEqual([0, 1])
  })

  test('is refused for DIRECT_DATABASE_URL and PGSSLMODE by their own names', async () => {
    front = await startTlsFront(urlOf(), certificates.good)
    const openBy = (env: Record<string, string>) =>
      openRuntime(readSettings({ DATABASE_URL: front.url, DATA_DIR: dataDir, ...env }), log, { supervise: false })
    const direct = openBy({ DIRECT_DATABASE_URL: `${front.url}?sslmode=verify-ca`, DATABASE_URL: urlOf() })
    await expect(direct).rejects.toThrow('Check DIRECT_DATABASE_URL: sslmode=verify-ca takes sslrootcert=FILE')
    await expect(openBy({ PGSSLMODE: 'on' })).rejects.toThrow('Check PGSSLMODE: it must be one of disable, allow, ')
  })

  test('is not wanted by PGSSLMODE of a URL with an encryption of its own, or of a Unix socket', () => {
    const own = ['postgres://u@h/db?sslmode=disable', 'postgres://u@h/db?ssl=true']
    expect(own.map((url) => withSslDefaults(url, VERIFYING))).toEqual(own)
    for (const pgSslRootCert of [null, 'system', '/nowhere']) {
      const socket = withSslDefaults('postgres://u@localhost/db?host=/run/postgresql', { ...VERIFYING, pgSslRootCert })
      expect(postgresUrl(socket, 'DATABASE_URL').url).toMatch(/^[^?]*\?host=[^&]*&sslmode=disable$/)
    }
  })

  test('by sslmode=prefer is in plain text where the server offers none, by a Unix socket as well', async () => {
    front = await startTlsFront(urlOf(), certificates.good)
    const plain = await startFaultProxy(urlOf())
    for (const url of [plain.url, plain.url.replace('disable', 'allow'), urlOf()]) {
      const preferring = url.replace('sslmode=disable', 'sslmode=prefer')
      const runtime = await openRuntime(settingsOf(preferring), log, { supervise: false })
      await runtime.close()
    }
    expect(warned).toEqual([])
    await plain.close()
  })

  test('by sslmode=prefer stays encrypted where the server does not answer at first', async () => {
    front = await startTlsFront(urlOf(), certificates.good)
    const [port] = await freePorts(1)
    expect(await withOfferedTls(`postgres://u@127.0.0.1:${port}/db?sslmode=prefer`)).toMatch(/sslmode=require$/)
    expect(await withOfferedTls('postgres://u@127.0.0.1:1/db?sslmode=verify-full')).toMatch(/sslmode=verify-full$/)
  })

  test.each([
    ['verify-full', 'good'],
    ['verify-ca', 'wrongHost'],
    ['require', 'wrongHost'],
  ] as const)(
    'by sslmode=%s and sslrootcert takes a certificate of that authority without a warning',
    async (mode, pair) => {
      await connectBy(pair, `sslmode=${mode}&${rootcert()}`)
      expect(warned).toEqual([])
    },
  )

  test.each([
    ['verify-full', 'wrongHost', /does not match certificate's altnames/],
    ['verify-full', 'selfSigned', /self-signed certificate/],
    ['verify-ca', 'selfSigned', /self-signed certificate/],
  ] as const)('by sslmode=%s refuses a certificate in one sentence: %s', async (mode, pair, reason) => {
    const failed = connectBy(pair, `sslmode=${mode}&${rootcert()}`)
    await expect(failed).rejects.toThrow(/^Check DATABASE_URL: the database .* cannot be used \(.*\)\.$/)
    await expect(failed).rejects.toThrow(reason)
  })

  test.each([
    ['sslmode=required', 'sslmode must be one of disable, allow, prefer, require, no-verify, verify-ca, verify-full.'],
    ['sslmode=verify-ca', 'sslmode=verify-ca takes sslrootcert=FILE, the authority to trust.'],
    ['sslmode=require&sslrootcert=system', 'sslrootcert=system takes sslmode=verify-full.'],
    ['sslmode=verify-full&sslrootcert=/nowhere', 'sslrootcert names a file that cannot be read: /nowhere (ENOENT).'],
  ])('is refused where its parameters make no sense: %s', async (parameters, message) => {
    front = await startTlsFront(urlOf(), certificates.good)
    expect(() => postgresUrl(`${front.url}?${parameters}`, 'DATABASE_URL')).toThrow(`Check DATABASE_URL: ${message}`)
  })
})
