import { expect, test } from 'vitest'
import { updateAccount } from '../../src/accounts/update-account.ts'
import { newDemoOwner } from '../../src/runtime/install.ts'
import { createUser } from '../../src/users/create-user.ts'
import { startTestRuntime } from '../setup/service/runtime.ts'

const OWNER = { email: 'owner@demo.invalid', role: 'owner' } as const

test('the owner of the demo is led into the console until they have a password, also once their account has another name', async () => {
  const service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  try {
    const system = service.runtime.as({ kind: 'system' })
    const [demo, other] = [await service.createAccount(), await service.createAccount()]
    await createUser(system, { ...OWNER, account: other })
    expect(await newDemoOwner(system)).toBeNull()
    const { id } = await createUser(system, { ...OWNER, account: demo })
    await updateAccount(system, { account: demo, name: 'Radio' })
    expect(await newDemoOwner(system)).toBe(id)
    await service.runtime.db.pool.query(`update "user" set password_hash = 'x' where id = $1`, [id])
    expect(await newDemoOwner(system)).toBeNull()
  } finally {
    await service.close()
  }
})
