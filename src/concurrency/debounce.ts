export interface Debounced {
  call(name: string): void
  /** Whether it is quiet: then the caller does itself what `call` would do. */
  begin(name: string): boolean
}

/** The first call of a quiet time goes through at once; those that follow within `spacingMs` become one, at its end. */
export function debounce(work: (name: string) => void, spacingMs: number): Debounced {
  const pending = new Map<string, boolean>()
  const begin = (name: string): boolean => {
    if (pending.has(name)) return false
    pending.set(name, false)
    setTimeout(() => {
      const asked = pending.get(name) === true
      pending.delete(name)
      if (asked) call(name)
    }, spacingMs).unref()
    return true
  }
  const call = (name: string): void => {
    if (begin(name)) work(name)
    else pending.set(name, true)
  }
  return { call, begin }
}
