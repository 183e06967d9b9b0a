import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'
import { diffSchema } from '../../setup/postgres/schema-engine.ts'

/** A partitioned table cannot have these without the column that partitions it; each partition has all but the foreign key. */
const OF_PARTITIONS = `-- AlterTable
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_pkey" PRIMARY KEY ("id");

-- AlterTable
ALTER TABLE "credit_entry" ADD CONSTRAINT "credit_entry_pkey" PRIMARY KEY ("id");

-- CreateIndex
CREATE UNIQUE INDEX "artifact_storage_key_key" ON "artifact"("storage_key");

-- AddForeignKey
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "job"("id") ON DELETE CASCADE ON UPDATE CASCADE;`

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

describe('schema drift', () => {
  test('the migrations lead to prisma/schema.prisma', async () => {
    expect(await diffSchema(database.url, 'database')).toBe(OF_PARTITIONS)
  })

  test('a difference is reported as the SQL that mends it', async () => {
    await query('alter table account drop column webhook_url')
    expect(await diffSchema(database.url, 'database')).toContain('ADD COLUMN     "webhook_url" TEXT')
    await query('alter table account add column webhook_url text')
  })

  test('every identifier is compared bytewise', async () => {
    const columns = await query(
      `select table_name || '.' || column_name as name from information_schema.columns
        where table_schema = 'public' and data_type = 'text' and table_name not like E'\\\\_%'
          and column_name ~ '^(id|slug|key|output)$|_(id|slug|key)$' and collation_name is distinct from 'C'`,
    )
    expect(columns).toEqual([])
  })
})
