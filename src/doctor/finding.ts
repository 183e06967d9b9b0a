type Severity = 'ok' | 'warning' | 'error'

/** What one check came to. */
export interface Finding {
  /** What was looked at, in one or two words. */
  readonly check: string
  readonly severity: Severity
  /** What there is, with its figures. */
  readonly found: string
  /** What the operator can do about it; null where there is nothing to do. */
  readonly remedy: string | null
}

/** A thing that can be checked: any number of findings, `check` as their name. */
export interface Check<Parts> {
  readonly check: string
  run(parts: Parts): Promise<readonly Omit<Finding, 'check'>[]>
}

export const ok = (found: string) => ({ severity: 'ok', found, remedy: null }) as const
export const warning = (found: string, remedy: string) => ({ severity: 'warning', found, remedy }) as const
export const error = (found: string, remedy: string) => ({ severity: 'error', found, remedy }) as const

/** The findings where there are any, else that all is well. */
export const orOk = <Found>(findings: readonly Found[], found: string): readonly (Found | ReturnType<typeof ok>)[] =>
  findings.length > 0 ? findings : [ok(found)]
