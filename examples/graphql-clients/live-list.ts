interface Listed {
  readonly id: string
}

/** Message of `jobChanges` or `deliveryChanges`. */
export interface Changes<Row> {
  readonly rows: readonly Row[]
  readonly removedIds: readonly string[]
}

/** Arguments with which the subscription begins. */
export interface Beginning {
  readonly endedWithinMs: number
}

interface Parts<Row> {
  /** Subscribes with the arguments of `beginning`. @returns unsubscribes */
  follow(onChanges: (changes: Changes<Row>) => void, beginning: Beginning): () => void
  /** Asks for the list by the filter of the subscription. */
  ask(): Promise<readonly Row[]>
  /** Gets the rows whenever they change, newest first. */
  show(rows: readonly Row[]): void
  /** Gets the error of `ask`. The list goes on with what the subscription says; `again` asks once more. */
  fail(error: unknown): void
  /** Number of rows that are kept, the newest ones; 1,000 unless given. */
  readonly most?: number
}

/** A subscription has begun when its first message comes, or after this time if it has nothing to say. */
const BEGUN_MS = 500
/** A subscription that begins later than the answer, by up to this time, says what has ended since. */
const ENDED_WITHIN_MS = 300_000
/** A page that stays open for days does not grow. */
const MOST_ROWS = 1000

/**
 * A list that stays true. It subscribes first and asks then, so no change is missed in between; messages that came meanwhile are newer than the
 * answer. `again` does so once more after a reconnect, because no message tells what changed without a connection.
 */
export function openLiveList<Row extends Listed>({ follow, ask, show, fail, most = MOST_ROWS }: Parts<Row>) {
  let rows = new Map<string, Row>()
  let meanwhile: Changes<Row>[] | null = null
  let begin = (): void => undefined
  const apply = (changes: Changes<Row>): void => {
    for (const id of changes.removedIds) rows.delete(id)
    for (const row of changes.rows) rows.set(row.id, row)
  }
  const tell = (): void => {
    // Ids are in the order of time.
    const newest = [...rows.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, most)
    rows = new Map(newest.map((row) => [row.id, row]))
    // Before the answer, nobody knows that a list is empty.
    if (newest.length > 0 || meanwhile === null) show(newest)
  }
  const again = async (): Promise<void> => {
    const heard: Changes<Row>[] = []
    meanwhile = heard
    await new Promise<void>((resolve) => {
      begin = resolve
      setTimeout(resolve, BEGUN_MS)
    })
    const answer = await ask().catch((error: unknown) => {
      if (meanwhile === heard) fail(error)
      return null
    })
    // It was asked again since, or closed.
    if (meanwhile !== heard) return
    meanwhile = null
    if (answer === null) return
    rows = new Map(answer.map((row) => [row.id, row]))
    heard.forEach(apply)
    tell()
  }
  const start = (): void => void again().catch(fail)
  start()
  const end = follow(
    (changes) => {
      meanwhile?.push(changes)
      apply(changes)
      begin()
      tell()
    },
    { endedWithinMs: ENDED_WITHIN_MS },
  )
  const close = (): void => {
    meanwhile = null
    end()
  }
  return { again: start, close }
}
