using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using UnityEngine;
using UnityEngine.UI;

/// <summary>What a player sees of a screen, and does with it.</summary>
sealed class Shown
{
    readonly string name;

    /// <param name="name">The name of its canvas.</param>
    public Shown(string name)
    {
        this.name = name;
    }

    public bool IsThere
    {
        get { return Canvas != null; }
    }

    public List<string> Texts
    {
        get { return Canvas == null ? new List<string>() : Canvas.GetComponentsInChildren<Text>().Select(text => text.text).ToList(); }
    }

    /// <summary>Whether a text that the player reads is taken for markup. What a field shows, the player has written.</summary>
    public bool HasMarkup
    {
        get
        {
            return Canvas.GetComponentsInChildren<Text>()
                .Any(text => text.supportRichText && text.transform.parent.gameObject.GetComponent<InputField>() == null);
        }
    }

    public bool Has(string text)
    {
        return Texts.Contains(text);
    }

    /// <summary>Whether a text begins so.</summary>
    public bool Begins(string part)
    {
        return Texts.Any(text => text.StartsWith(part, StringComparison.Ordinal));
    }

    public Task Until(string text)
    {
        return Until(() => Has(text), "\"" + text + "\"");
    }

    /// <summary>Lets the player run frames until the condition holds.</summary>
    public async Task Until(Func<bool> condition, string promise)
    {
        var end = Player.Seconds + 60;
        while (!condition())
        {
            if (Player.Seconds > end) throw new InvalidOperationException("Expected: " + promise + ", shown: " + string.Join(" | ", Texts));
            await Task.Yield();
        }
    }

    /// <summary>Clicks a button as soon as it is enabled.</summary>
    /// <param name="text">What is on it.</param>
    /// <param name="number">Which of those with this text, from 0.</param>
    public async Task Click(string text, int number = 0)
    {
        await Until(() => Buttons(text).Count > number, "a button \"" + text + "\"");
        Buttons(text)[number].onClick.Invoke();
    }

    public void Enter(int field, string text)
    {
        Canvas.GetComponentsInChildren<InputField>()[field].text = text;
    }

    List<Button> Buttons(string text)
    {
        if (Canvas == null) return new List<Button>();
        return Canvas.GetComponentsInChildren<Button>()
            .Where(button => button.interactable && button.gameObject.GetComponentInChildren<Text>().text == text).ToList();
    }

    GameObject Canvas
    {
        get { return GameObject.Living.FirstOrDefault(living => living.name == name); }
    }
}
