// The settings of Claude Code that make it ignore a whole settings file, and our hooks with it, if their value has
// another type. Measured with version 2.1.325: a wrong value of each key in its published type was tried, and these are
// those with which no hook ran. Keys that are not here may have any value.

const booleans = `respectGitignore syncClaudeAiSkills syncClaudeAiPlugins wslInheritsWindowsSettings includeCoAuthoredBy
  includeGitInstructions enforceAvailableModels enableAllProjectMcpServers disableClaudeAiConnectors
  disableBundledSkills disableAllHooks disableReplyCheck disableAgentView disableRemoteControl disableWorkflows
  disableArtifact enableArtifact enableWorkflows workflowKeywordTriggerEnabled disableSkillShellExecution
  disableWindowsBashCommandSplit bashEditDiffEnabled respondToBashCommands allowManagedHooksOnly
  allowManagedPermissionRulesOnly allowManagedMcpServersOnly allowAllClaudeAiMcps allowClaudeInChromeWithManagedMcp
  disableCommandPluginSources disableSideloadFlags forceRemoteSettingsRefresh skipWebFetchPreflight spinnerTipsEnabled
  syntaxHighlightingDisabled terminalTitleFromRename alwaysThinkingEnabled fastMode fastModePerSessionOptIn
  promptSuggestionEnabled emojiCompletionEnabled showClearContextOnPlanAccept channelsEnabled prefersReducedMotion
  autoMemoryEnabled autoDreamEnabled showThinkingSummaries skipDangerousModePermissionPrompt verbose autoCompactEnabled
  precomputeCompactionEnabled idleCompaction switchModelsOnFlag autoContinueAtUsageLimit autoScrollEnabled
  wheelScrollAccelerationEnabled fileCheckpointingEnabled showTurnDuration showMessageTimestamps
  terminalProgressBarEnabled todoFeatureEnabled remoteControlAtStartup isolatePeerMachines autoUploadSessions
  inputNeededNotifEnabled agentPushNotifEnabled skipAutoPermissionPrompt useAutoModeDuringPlan voiceEnabled`
const objects = `fileSuggestion env permissions modelOverrides modelPricing skillOverrides worktree statusLine
  enabledPlugins sandbox spinnerVerbs pluginConfigs remote voice autoMode`
const texts = `apiKeyHelper proxyAuthHelper awsCredentialExport awsAuthRefresh gcpAuthRefresh processWrapper
  attributionProject model prUrlTemplate otelHeadersHelper outputStyle language advisorModel agent minimumVersion
  requiredMinimumVersion requiredMaximumVersion plansDirectory timeZone timeFormat autoMemoryDirectory claudeMd
  pluginTrustMessage $schema permissions.defaultMode`
const lists = `fallbackModel availableModels enabledMcpjsonServers disabledMcpjsonServers allowedHttpHookUrls
  httpHookAllowedEnvVars pluginSuggestionMarketplaces companyAnnouncements claudeMdExcludes strictKnownMarketplaces
  allowedMarketplaces blockedMarketplaces allowedChannelPlugins sshConfigs permissions.allow permissions.deny
  permissions.ask permissions.additionalDirectories`
const numbers = `cleanupPeriodDays desktopSessionCleanupPeriodDays skillListingMaxDescChars skillListingBudgetFraction
  feedbackSurveyRate`

const words: Readonly<Record<string, readonly string[]>> = {
  'permissions.defaultMode': ['acceptEdits', 'auto', 'bypassPermissions', 'default', 'manual', 'dontAsk', 'plan'],
  parentSettingsBehavior: ['first-wins', 'merge'],
  managedSourcesBehavior: ['first-wins', 'merge'],
  disableAutoMode: ['disable'],
  disableDeepLinkRegistration: ['disable'],
  workflowSizeGuideline: ['unrestricted', 'small', 'medium', 'large'],
  defaultShell: ['bash', 'powershell'],
  feedbackDrafts: ['notify', 'quiet', 'off'],
  autoUpdatesChannel: ['latest', 'stable', 'rc'],
  tui: ['default', 'fullscreen'],
  daemonColdStart: ['transient', 'ask'],
  defaultView: ['chat', 'transcript'],
}

type Check = readonly [name: string, isRight: (value: unknown) => boolean]

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
const checks = new Map<string, Check>(
  (
    [
      [booleans, ['true or false', (value) => typeof value === 'boolean']],
      [objects, ['an object', isObject]],
      [texts, ['a text', (value) => typeof value === 'string']],
      [lists, ['a list', (value) => Array.isArray(value)]],
      [numbers, ['a number', (value) => typeof value === 'number']],
    ] as const satisfies readonly (readonly [string, Check])[]
  ).flatMap(([names, check]) => names.split(/\s+/).map((name) => [name, check] as const)),
)

/** Why Claude would ignore the file; undefined: it would not. */
export function claudeProblem(text: string): string | undefined {
  let value: unknown
  try {
    // Claude accepts a byte order mark, but neither comments nor trailing commas.
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    return `it is not valid JSON: ${(error as Error).message}`
  }
  if (!isObject(value)) return 'it does not contain a JSON object'
  const settings = value as Record<string, unknown>
  const permissions = settings['permissions']
  const flat = {
    ...settings,
    ...(isObject(permissions)
      ? Object.fromEntries(Object.entries(permissions as object).map(([name, each]) => [`permissions.${name}`, each]))
      : {}),
  }
  for (const [name, each] of Object.entries(flat)) {
    const [what, isRight] = checks.get(name) ?? []
    if (isRight?.(each) === false) return `\`${name}\` is ${JSON.stringify(each)?.slice(0, 60)}, not ${what}`
    const allowed = words[name]
    if (allowed !== undefined && !allowed.includes(each as string))
      return `\`${name}\` is ${JSON.stringify(each)?.slice(0, 60)}, not one of ${allowed.join(', ')}`
  }
  return hookProblem(settings['hooks'])
}

/** The events that call git plan. A mistake in another one does no harm to these. */
const ourEvents = ['PreToolUse', 'SessionStart']

function hookProblem(hooks: unknown): string | undefined {
  // That it is an object is found when the entry is added.
  if (!isObject(hooks)) return undefined
  for (const event of ourEvents) {
    const groups = (hooks as Record<string, unknown>)[event] ?? []
    if (!Array.isArray(groups)) return `\`hooks.${event}\` is not a list`
    for (const [at, group] of groups.entries()) {
      const entries: unknown = isObject(group) ? (group as Record<string, unknown>)['hooks'] : undefined
      if (!Array.isArray(entries)) return `\`hooks.${event}[${at}]\` has no list of hooks`
      const wrong = entries.findIndex((entry) => !isHook(entry))
      if (wrong >= 0) return `\`hooks.${event}[${at}].hooks[${wrong}]\` has no \`type\`, or no \`command\``
    }
  }
  return undefined
}

function isHook(value: unknown): boolean {
  if (!isObject(value)) return false
  const { type, command } = value as Record<string, unknown>
  return typeof type === 'string' && (type !== 'command' || typeof command === 'string')
}

/** True if the user has turned off all hooks. */
export const hasHooksOff = (text: string): boolean => {
  try {
    return (JSON.parse(text.replace(/^\uFEFF/, '')) as { disableAllHooks?: unknown }).disableAllHooks === true
  } catch {
    return false
  }
}
