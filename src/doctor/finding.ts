type Severity = 'ok' | 'warning' | 'error'

export interface Finding {
  readonly check: string
  readonly severity: Severity
  readonly found: string
  /** Advice for the operator; null if nothing is wrong. */
  readonly remedy: string | null
}

/** A check returns any number of findings under its name. */
export interface Check<Parts> {
  readonly check: string
  /** The check reads tables of the current schema. */
  readonly needsSchema?: boolean
  run(parts: Parts): Promise<readonly Omit<Finding, 'check'>[]>
}

export const ok = (found: string) => ({ severity: 'ok', found, remedy: null }) as const
export const warning = (found: string, remedy: string) => ({ severity: 'warning', found, remedy }) as const
export const error = (found: string, remedy: string) => ({ severity: 'error', found, remedy }) as const

export const orOk = <Found>(findings: readonly Found[], found: string): readonly (Found | ReturnType<typeof ok>)[] =>
  findings.length > 0 ? findings : [ok(found)]
