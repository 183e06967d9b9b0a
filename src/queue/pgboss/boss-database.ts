import { createHash } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import type { Db } from 'pg-boss'

export const bossDatabase = (connection: Pool | PoolClient): Db => ({
  executeSql: (text, values) =>
    values === undefined || values.length === 0
      ? connection.query(text)
      : connection.query({ name: statementName(text), text, values }),
})

const names = new Map<string, string>()

function statementName(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `boss_${createHash('sha1').update(text).digest('hex').slice(0, 24)}`
    names.set(text, name)
  }
  return name
}
