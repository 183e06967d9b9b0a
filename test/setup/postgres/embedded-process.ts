import { once } from 'node:events'
import { openDatabase } from '../../../src/db/database.ts'
import { openEmbedded } from '../../../src/db/embedded/embedded.ts'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { openLog } from '../../../src/values/log.ts'

// A process of the service as far as the database goes: opens the data directory it is given, migrates, says so in one
// line, and lets go when its standard input ends.
const log = openLog('warn')
const embedded = await openEmbedded(process.argv[2]!, log, { fsync: false })
const db = openDatabase(embedded.url, log)
await migrate(db, log)
const accounts = await db.prisma.account.count()
process.stdout.write(`ready with ${accounts} accounts\n`)
process.stdin.resume()
await once(process.stdin, 'end')
await db.close()
await embedded.close()
