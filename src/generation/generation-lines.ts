import type { Catalog } from '../endpoints/catalog-cache.ts'
import { openServerLine, type ServerLine, type ServerLines } from '../queue/server-line.ts'

/**
 * The lines of this process's generations at the servers of all workflows: what a server has no place for stays in the queue, where it
 * holds up neither another server's jobs nor another account's.
 */
export function openGenerationLines(catalog: Catalog): ServerLines {
  const lines = new Map<string, ServerLine>()
  let look = (): void => undefined
  /** Where workflows that share a server disagree, each keeps its own limit there: the line lets in what the highest allows. */
  const limits = (): Map<string, number> => {
    const found = new Map<string, number>()
    for (const { engine } of catalog.current.workflows.values())
      found.set(engine.base_url, Math.max(found.get(engine.base_url) ?? 0, engine.max_in_flight))
    return found
  }
  const lineAt = (server: string): ServerLine => {
    const line = lines.get(server) ?? openServerLine({ most: () => limits().get(server) ?? 0, onRoom: () => look() })
    lines.set(server, line)
    return line
  }
  return {
    rooms: () => new Map([...limits().keys()].map((server) => [server, lineAt(server).room])),
    at: (server) => (limits().has(server) ? lineAt(server) : undefined),
    watch: (watcher) => {
      look = watcher
    },
  }
}
