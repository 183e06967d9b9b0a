import type { AuditedAction } from '../operations.ts'

/** Each action as a sentence without its subject, with its group in filters. */
export const ACTIONS: Readonly<Record<AuditedAction, readonly [words: string, group: string]>> = {
  KEY_CREATED: ['Key created', 'API keys'],
  KEY_UPDATED: ['Key changed', 'API keys'],
  KEY_DELETED: ['Key deleted', 'API keys'],
  USER_ADDED: ['Person added', 'People'],
  USER_ROLE_CHANGED: ['Role changed', 'People'],
  USER_FEDERATED: ['First sign-in through the provider', 'People'],
  USER_DISABLED: ['Person disabled', 'People'],
  USER_ENABLED: ['Person enabled', 'People'],
  PASSWORD_SET: ['Password set by the operator', 'People'],
  PASSWORD_RESET: ['New password asked for', 'People'],
  SIGN_IN_LINK_CREATED: ['Sign-in link made', 'People'],
  OPERATOR_MARKED: ['Operator role given', 'People'],
  OPERATOR_UNMARKED: ['Operator role removed', 'People'],
  WEBHOOK_URL_SET: ['Webhook URL set', 'Webhooks'],
  WEBHOOK_SECRET_ROTATED: ['Signing secret rotated', 'Webhooks'],
  WEBHOOK_SECRET_EXPIRED: ['Old secret ended', 'Webhooks'],
  CREDITS_GRANTED: ['Credits added', 'Account'],
  ACCOUNT_CREATED: ['Account created', 'Account'],
  ACCOUNT_UPDATED: ['Limits changed', 'Account'],
  ACCOUNT_RENAMED: ['Account renamed', 'Account'],
  ACCOUNT_DISABLED: ['Account disabled', 'Account'],
  ACCOUNT_ENABLED: ['Account enabled', 'Account'],
  JOB_DELETED: ['Job deleted', 'Account'],
  PROJECT_DELETED: ['Project deleted', 'Account'],
  ENDPOINT_APPLIED: ['Endpoint applied', 'Endpoints'],
  ENDPOINT_DELETED: ['Endpoint deleted', 'Endpoints'],
}

/** Groups in their order, with the actions of each. Endpoints belong to no account: only operators see what was done to them. */
export function actionGroups(isOperator: boolean): readonly (readonly [group: string, actions: AuditedAction[]])[] {
  const groups = new Map<string, AuditedAction[]>()
  for (const [action, [, group]] of Object.entries(ACTIONS) as [AuditedAction, readonly [string, string]][])
    if (isOperator || group !== 'Endpoints') groups.set(group, [...(groups.get(group) ?? []), action])
  return [...groups]
}
