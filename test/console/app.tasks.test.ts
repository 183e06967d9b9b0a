import { WEBHOOK_ENV } from '../setup/service/webhooks.ts'
import { describeConsole } from './journeys/describe-console.ts'
import { tenTasksJourney } from './journeys/ten-tasks.ts'

describeConsole('the tasks of a new user in a browser', tenTasksJourney, {
  webhooks: true,
  env: WEBHOOK_ENV,
})
