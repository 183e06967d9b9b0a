import { call } from '../http.ts'

export type Change = Record<string, unknown> & { readonly job_id: string; readonly changed_at: string }

export interface Changes {
  readonly rows: readonly Change[]
  readonly cursor: string
  readonly complete_before: string
}

/** One whole answer of the feed of changes; throws if it was refused or cut off. */
export async function pullChanges(url: string, key: string, search = ''): Promise<Changes> {
  const { status, text } = await call(`${url}/api/v1/data/jobs${search}`, { key })
  if (status !== 200) throw new Error(`${status}: ${text}`)
  const lines = text.trimEnd().split('\n')
  const last = JSON.parse(lines.pop() as string) as { cursor: string; rows: number; complete_before: string }
  const rows = lines.map((line) => JSON.parse(line) as Change)
  if (last.rows !== rows.length) throw new Error(`${rows.length} rows came, and the last line says ${last.rows}`)
  return { rows, cursor: last.cursor, complete_before: last.complete_before }
}
